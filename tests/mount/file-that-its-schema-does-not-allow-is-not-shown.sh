#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr python3
echo 'port: 80' >low/app.yaml
echo 'name: a' >high/app.yaml
cp low/app.yaml low/other.yaml
cp high/app.yaml high/other.yaml
echo '{"properties": {"port": {"maximum": 65535}}, "required": ["name"]}' >app.schema.json
cat >plyfs.yaml <<-END
	layers: [low, high]
	rules: [{match: app.yaml, schema: app.schema.json}]
END
start -c plyfs.yaml mnt
good=$'port: 80\nname: a'
shows mnt/app.yaml "$good"
shows mnt/other.yaml "$good"

in_trouble() { [[ $(attribute mnt/app.yaml user.plyfs.error) == *"$1"* ]]; }
mended() { [ -z "$(attribute mnt/app.yaml user.plyfs.error)" ] && [ "$(status troubles)" = '[]' ]; }

# The last good version stays. Its twin has no schema: there the change shows.
printf 'name: a\nport: 70000\n' | replace high/app.yaml
printf 'name: a\nport: 70000\n' | replace high/other.yaml
comes_to_show mnt/other.yaml $'port: 70000\nname: a'
eventually in_trouble "high/app.yaml:2:7: port must be at most 65535, but is 70000" ||
	fail "the error is not seen: $(cat mnt/.plyfs/errors)"
shows mnt/app.yaml "$good"
[ "$(status troubles 0 path)" = app.yaml ]
[ "$(status troubles 0 source)" = "$PWD"/high/app.yaml ]
[ "$(status troubles 0 line)" = 2 ]
grep -q '^plyfs: .*high/app.yaml:2:7: port must be at most 65535' log || fail "the log does not tell it"
"$PLYFS" status mnt | grep -q 'high/app.yaml:2:7: port must be'

# The source is mended.
printf 'name: b\nport: 443\n' | replace high/app.yaml
comes_to_show mnt/app.yaml $'port: 443\nname: b'
eventually mended || fail "the error stays: $(cat mnt/.plyfs/errors)"

# A missing value has no place in a source.
rm high/app.yaml
eventually in_trouble "low/app.yaml:1:1: lacks the key 'name'" || fail "$(cat mnt/.plyfs/errors)"
shows mnt/app.yaml $'port: 443\nname: b'

# The schema itself is edited: all its paths are judged again, also those that no program has read.
echo '{"properties": {"port": {"maximum": 65535}}}' | replace app.schema.json
comes_to_show mnt/app.yaml 'port: 80'
eventually mended || fail "the error stays: $(cat mnt/.plyfs/errors)"
echo '{"properties": {"port": {"maximum": 79}}}' >app.schema.json
eventually in_trouble "port must be at most 79, but is 80" || fail "$(cat mnt/.plyfs/errors)"
shows mnt/app.yaml 'port: 80'

# A schema that can't be used changes nothing, and is read again by itself when it is mended.
bad_settings() { [[ $(status settings error 2>/dev/null) == *"$1"* ]]; }
good_settings() { ! status settings error >/dev/null 2>&1; }
echo '{"type": "strng"}' | replace app.schema.json
eventually bad_settings "app.schema.json:1:10: 'type' is one of" || fail "$(status settings)"
echo '{"$ref": "http://elsewhere/"}' | replace other.schema.json
sed -i 's/app.schema.json/other.schema.json/' plyfs.yaml
eventually bad_settings "other.schema.json:1:10: 'http://elsewhere/' is another document" || fail "$(status settings)"
# A document that a schema refers to counts as the schema does.
mkdir parts
echo '{"$ref": "parts/a.json"}' | replace other.schema.json
eventually bad_settings "other.schema.json:1:10: 'parts/a.json' is the file" || fail "$(status settings)"
echo '{"properties": {"port": {"maximum": 9}}}' | replace parts/a.json
eventually in_trouble "port must be at most 9, but is 80 ($PWD/parts/a.json#" || fail "$(cat mnt/.plyfs/errors)"
eventually good_settings || fail "$(status settings)"
echo '{"properties": {"port": {"maximum": 8}}}' >parts/a.json
eventually in_trouble "port must be at most 8, but is 80" || fail "$(cat mnt/.plyfs/errors)"
echo '{}' | replace other.schema.json
eventually good_settings || fail "$(status settings)"
eventually mended || fail "the error stays: $(cat mnt/.plyfs/errors)"
stop

# Never good: there is nothing to show.
echo '{"required": ["user"]}' | replace other.schema.json
start -c plyfs.yaml mnt
fails_with 'Input/output error' cat mnt/app.yaml
shows mnt/other.yaml $'port: 70000\nname: a'
echo 'user: me' >high/app.yaml
comes_to_show mnt/app.yaml $'port: 80\nuser: me'
