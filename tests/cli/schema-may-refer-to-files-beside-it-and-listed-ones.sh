#!/bin/bash
. "$(dirname "$0")/cli.sh"

# The text of the problem, of any line, without excerpts.
refused() { runs 1 "$PLYFS" merge "${@:2}" a.yaml && grep -qF "$1" err || fail "it says: $(cat err)"; }

echo 'port: 70000' >a.yaml
mkdir -p s/parts "other place"
echo '{"$ref": "parts/app.json"}' >s/s.json
echo '{"properties": {"port": {"$ref": "port.yaml#/$defs/port"}, "all": {"$ref": "../s.json"}}}' >s/parts/app.json
printf '$defs:\n  port: {maximum: 65535}\n' >s/parts/port.yaml
refused 'a.yaml:1:7: port must be at most 65535, but is 70000 (s/parts/port.yaml#/$defs/port/maximum)' --schema s/s.json
cd s && runs 1 "$PLYFS" merge --schema ./s.json ../a.yaml && cd ..
refused 'port must be at most 65535' --schema "$PWD/s/../s/s.json"

# The draft is that of the schema that refers, unless the document says another.
echo '{"$schema": "http://json-schema.org/draft-04/schema#", "allOf": [{"$ref": "parts/old.json#x"}]}' >s/old.json
echo '{"definitions": {"a": {"id": "#x", "properties": {"port": {"maximum": 70000, "exclusiveMaximum": true}}}}}' >s/parts/old.json
refused 'port must be less than 70000' --schema s/old.json

# Neither the network, nor files elsewhere.
echo '{"$ref": "https://example.org/x.json"}' >s/net.json
refused "s/net.json:1:10: 'https://example.org/x.json' is another document, and plyfs fetches nothing over the network; save it" --schema s/net.json
echo '{}' >other.json
for to in ../other.json parts/../../other.json "file://$PWD/other.json" %2e%2e/other.json parts/%2E%2E/%2e./other.json; do
	echo '{"allOf": [true, {"$ref": "'"$to"'#/x"}]}' >s/out.json
	refused "s/out.json:1:27: '$to#/x' is '" --schema s/out.json
	refused "outside of the directory of s/out.json; move it there, or list it" --schema s/out.json
done
echo '{"$ref": "parts/none.json"}' >s/none.json
refused "s/none.json:1:10: 'parts/none.json' is the file s/parts/none.json, which can't be opened: there is no such file or directory" --schema s/none.json
echo '{"$ref": "parts"}' >s/none.json
refused "s/none.json:1:10: 'parts' is the file s/parts, which is a directory" --schema s/none.json
printf '{"$ref": "parts/bad.json"}' >s/none.json
printf '{\n "type": "strng"}' >s/parts/bad.json
refused "s/parts/bad.json:2:10: 'type' is one of" --schema s/none.json

# A schema that leads back to itself through other files.
echo '{"$ref": "round.json"}' >s/parts/back.json
echo '{"allOf": [{"$ref": "../round.json"}]}' >s/parts/round.json
echo '{"$ref": "parts/back.json"}' >s/round.json
refused 'round.json:1:' --schema s/round.json

# By $id: a listed file, a file beside a listed one, a file beside the schema.
cat >"other place/p q.json" <<'END'
{"$schema": "http://json-schema.org/draft-04/schema#", "id": "https://example.org/x.json",
 "properties": {"port": {"$ref": "y.json#top"}}}
END
echo '{"id": "https://example.org/y.json", "definitions": {"a": {"id": "#top", "maximum": 9}}}' >"other place/y.json"
refused '(other place/y.json#/definitions/a/maximum)' --schema s/net.json --schema-ref other.json --schema-ref "other place/p q.json"
echo '{"$ref": "../other place/p%20q.json"}' >s/out.json
refused '(other place/y.json#/definitions/a/maximum)' --schema s/out.json --schema-ref "other place/p q.json"
echo '{"$id": "http://e/s/a.json", "$ref": "parts/b.json"}' >s/id.json
echo '{"$id": "http://e/s/parts/b.json", "$ref": "c.json"}' >s/parts/b.json
echo '{"$id": "http://e/s/parts/c.json", "$ref": "../../t.json"}' >s/parts/c.json
refused "s/parts/c.json:1:44: '../../t.json' is another document, and plyfs fetches nothing" --schema s/id.json
echo '{"$id": "http://e/s/parts/c.json", "type": "string"}' >s/parts/c.json
refused '(s/parts/c.json#/type)' --schema s/id.json

# Two listed files with one $id.
cp "other place/p q.json" twice.json
refused "has the '\$id' 'https://example.org/x.json', as" --schema s/net.json --schema-ref twice.json --schema-ref "other place/p q.json"

# plyfs.yaml: the same, relative to its directory.
mkdir low
cp a.yaml low/a.yaml
printf 'layers: [low]\nschemas: ["other place/p q.json"]\nrules: [{match: a.yaml, schema: s/net.json}]\n' >plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q 'port must be at most 9, but is 70000 (other place/y.json#/definitions/a/maximum)' err out || fail "$(cat err out)"
printf 'layers: [low]\nschemas: [nowhere.json]\n' >plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "plyfs.yaml:2:11: the schema .nowhere.json. can't be opened" err || fail "$(cat err)"
printf 'layers: [low]\nrules: [{match: a.yaml, schema: s/net.json}]\n' >plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "s/net.json:1:10: 'https://example.org/x.json' is another document" err || fail "$(cat err)"
