#!/bin/bash
. "$(dirname "$0")/cli.sh"

printf 'port: 80\nname: a\n' >low.yaml
printf 'port: 70000\nprot: 1\n' >high.yaml
echo '{"properties": {"port": {"maximum": 65535}, "name": true}, "additionalProperties": false}' >s.json
runs 1 "$PLYFS" merge --schema s.json low.yaml high.yaml
prints ''
[ "$(cat err)" = "plyfs: high.yaml:1:7: port must be at most 65535, but is 70000 (s.json#/properties/port/maximum), in the layer 'high'
    port: 70000
          ^
plyfs: high.yaml:2:7: prot is not allowed here; known are 'port', 'name' (s.json#/additionalProperties), in the layer 'high'
    prot: 1
          ^" ] || fail "it says: $(cat err)"
echo 'port: 443' >high.yaml
runs 0 "$PLYFS" merge --schema s.json low.yaml high.yaml
prints $'port: 443\nname: a'
[ ! -s err ]
runs 1 "$PLYFS" merge --schema nowhere.json low.yaml high.yaml
says 'nowhere.json: can'"'"'t be opened'
echo '{"$schema": "http://json-schema.org/draft-03/schema"}' >s.json
runs 1 "$PLYFS" merge --schema s.json low.yaml high.yaml
grep -q "^plyfs: s.json:1:13: the schema is written in 'http://json-schema.org/draft-03/schema'" err

# A hundred errors are printed, and the number of the others.
echo '{"additionalProperties": {"type": "integer"}}' >s.json
printf 'k%d: x\n' {1..107} >low.yaml
runs 1 "$PLYFS" merge --schema s.json low.yaml
[ "$(grep -c '^plyfs: low.yaml:' err)" = 100 ] && [ "$(tail -n 1 err)" = 'plyfs: 7 more places do not match the schema' ] ||
	fail "it says: $(tail -n 3 err)"
