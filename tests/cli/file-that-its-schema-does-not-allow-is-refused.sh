#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir low high settings
cat >settings/app.schema.yaml <<-'END'
	$schema: https://json-schema.org/draft/2020-12/schema
	type: object
	required: [name]
	properties:
	  port: {type: integer, maximum: 65535}
	  hosts: {type: array, uniqueItems: true}
	  name: {type: string}
	  when: {type: string}
	additionalProperties: false
END
cat >settings/plyfs.yaml <<-END
	layers: [../low, ../high]
	rules:
	  - {match: "*.{yaml,toml,conf}", schema: app.schema.yaml}
END
tells() { grep -qF -- "$1" err || fail "it says: $(cat err); and not: $1"; }
config=settings/plyfs.yaml
printf 'name: a\nhosts: [x]\n' >low/app.yaml
printf 'port: 80\nhosts: [y]\n' >high/app.yaml
runs 0 "$PLYFS" check -c $config
prints '1 file: all merge'

# All errors are reported, each at its value, in its layer, with the schema's rule; also for missing values.
printf 'hosts: [x, x]\nport: 70000\nprot: 1\n' >high/app.yaml
sed -i 's/name/title/' low/app.yaml
runs 1 "$PLYFS" check -c $config
prints '1 file: 1 does not merge, 5 errors'
[ "$(sed -n 's/^plyfs: //p' err | sed 's/settings\/\.\.\///')" = "high/app.yaml:1:12: hosts must have each item once, but its items [0] and [1] are the same (settings/app.schema.yaml#/properties/hosts/uniqueItems), in the layer 'high'
high/app.yaml:2:7: port must be at most 65535, but is 70000 (settings/app.schema.yaml#/properties/port/maximum), in the layer 'high'
high/app.yaml:3:7: prot is not allowed here; known are 'port', 'hosts', 'name', 'when' (settings/app.schema.yaml#/additionalProperties), in the layer 'high'
low/app.yaml:1:1: lacks the key 'name', which must be there (settings/app.schema.yaml#/required), in the layer 'low'
low/app.yaml:1:8: title is not allowed here; known are 'port', 'hosts', 'name', 'when' (settings/app.schema.yaml#/additionalProperties), in the layer 'low'" ] ||
	fail "it says: $(cat err)"

# Nothing of it is shown, rendered or written.
runs 1 "$PLYFS" cat -c $config app.yaml
prints ''
grep -q "and 4 more, which 'plyfs check' shows" err
runs 1 "$PLYFS" set -c $config app.yaml port=1
runs 1 "$PLYFS" render -c $config out.d
[ ! -e out.d/app.yaml ]
sed -i 's/title/name/' low/app.yaml
printf 'port: 80\n' >high/app.yaml
before=$(cat high/app.yaml)
runs 1 "$PLYFS" set -c $config app.yaml port=70000
# The faulty line is one that no file has, and 'plyfs check' would find nothing.
[ "$(sed 's/settings\/\.\.\///' err)" = "plyfs: high/app.yaml: with this change port must be at most 65535, but is 70000 \
(settings/app.schema.yaml#/properties/port/maximum), in the layer 'high'" ] || fail "it says: $(cat err)"
runs 1 "$PLYFS" set --json -c $config app.yaml port=70000
tells 'high/app.yaml", "line": null, "column": null}}'
runs 1 "$PLYFS" set -c $config app.yaml port=70000 prot=1
tells "in the layer 'high'; and 1 more"
! grep -q 'plyfs check' err || fail "it says: $(cat err)"
# In a source that stays as it is, the line can be looked up.
runs 1 "$PLYFS" unset -c $config app.yaml name
tells "low/app.yaml:1:1: with this change lacks the key 'name'"
runs 1 "$PLYFS" set -c $config app.yaml port=http
[ "$(cat high/app.yaml)" = "$before" ] || fail 'set writes what the schema does not allow'
TMPDIR=$PWD EDITOR='sed -i s/80/99999/' runs 1 "$PLYFS" edit -c $config app.yaml </dev/null
[ "$(cat high/app.yaml)" = "$before" ] || fail 'edit writes what the schema does not allow'
runs 0 "$PLYFS" set -c $config app.yaml port=443
runs 0 "$PLYFS" render -c $config out.d
grep -q '^port: 443$' out.d/app.yaml
# An error that was there before is not the change's, in its target or below; one of the change comes first.
for layer in low high; do
	cp $layer/app.yaml before
	echo 'when: 1' >>$layer/app.yaml
	runs 1 "$PLYFS" set -c $config app.yaml port=8443
	tells "$layer/app.yaml:"
	tells "with or without this change when must be a string, but is 1"
	runs 1 "$PLYFS" set -c $config app.yaml zone=1
	tells "high/app.yaml: with this change zone is not allowed here"
	tells "; and 1 more"
	mv before $layer/app.yaml
done
# explain still works on it, to find the reason.
echo 'port: 70000' >high/app.yaml
runs 0 "$PLYFS" explain -c $config app.yaml port

# A file of one layer is copied byte for byte, and validated all the same; each of its documents.
rm -r low/* high/*
printf -- 'name: a\n---\nport: 1\n' >low/app.yaml
runs 1 "$PLYFS" check -c $config
tells "low/app.yaml:3:1: lacks the key 'name'"
printf 'name: a\n--- [\n' >low/app.yaml
runs 1 "$PLYFS" check -c $config
printf 'name = "a"\nwhen = 1979-05-27\n' >low/app.toml
rm low/app.yaml
runs 0 "$PLYFS" check -c $config
echo 'port = 1.5' >>low/app.toml
runs 1 "$PLYFS" cat -c $config app.toml
tells 'low/app.toml:3:8: port must be a whole number, but is 1.5'
rm low/app.toml
# An empty file is null, and a text that is no tree is read by its name.
: >low/app.yaml
runs 1 "$PLYFS" check -c $config
tells 'low/app.yaml: must be a map, but is null'
rm low/app.yaml

# A virtual file has a schema as well.
config=settings/all.yaml
cat >$config <<-END
	layers: [../low, ../high]
	files: [{path: all.yaml, from: "*.part", schema: app.schema.yaml}]
END
echo 'name: x' >low/a.part
echo 'port: 70000' >high/b.part
runs 1 "$PLYFS" cat -c $config all.yaml
tells 'high/b.part:1:7: port must be at most 65535'

# Strategies that give a text: the line is that of the source.
sed -i 's/path: all.yaml/&, strategy: concat/' $config
printf '# one\nname: x\n' >low/a.part
printf '# two\nport: 70000\n' >high/b.part
runs 1 "$PLYFS" cat -c $config all.yaml
tells 'high/b.part:2:7: port must be at most 65535'

# A schema that can't be used is an error of the settings, with its place.
echo 'type: strng' >settings/app.schema.yaml
runs 1 "$PLYFS" check -c $config
grep -q "^plyfs: settings/app.schema.yaml:1:7: 'type' is one of null" err || fail "$(cat err)"
echo '$ref: other.yaml' >settings/app.schema.yaml
runs 1 "$PLYFS" cat -c $config all.yaml
grep -q "settings/app.schema.yaml:1:7: 'other.yaml' is the file .*settings/other.yaml, which can't be opened" err || fail "$(cat err)"
rm settings/app.schema.yaml
runs 1 "$PLYFS" cat -c $config all.yaml
tells "settings/all.yaml:2:68: the schema '"
tells "settings/app.schema.yaml' can't be opened: there is no such file"
mkdir settings/app.schema.yaml
runs 1 "$PLYFS" cat -c $config all.yaml
tells "settings/all.yaml:2:68: the schema '"
tells "settings/app.schema.yaml' is a directory; a schema is read from a file"

# The line of a value that the schema marks as secret is not shown.
rm -rf settings/* low/* high/*
printf 'layers: [../low, ../high]\nrules: [{match: "*.yaml", schema: app.schema.yaml}]\n' >$config
cat >settings/app.schema.yaml <<-'END'
	properties:
	  db: {properties: {password: {writeOnly: true, minLength: 12}, pin: {anyOf: [{writeOnly: true, minLength: 9}]}}}
END
printf 'db:\n  password: hunter2\n  pin: "5432"\n' >high/app.yaml
runs 1 "$PLYFS" check -c $config
tells "high/app.yaml:2:13: db.password must have at least 12 characters, but has 7"
tells "high/app.yaml:3:8: db.pin "
! grep -q 'hunter2\|5432' err || fail "a secret is shown: $(cat err)"
runs 1 "$PLYFS" merge --schema settings/app.schema.yaml high/app.yaml
tells "db.password"
! grep -q 'hunter2\|5432' err || fail "a secret is shown: $(cat err)"

# Nor is a line with a secret and another error, or one that does not parse; nor is the word quoted.
sed -i 's/match: "\*.yaml"/match: "*"/' $config
echo '  port: {type: integer}' >>settings/app.schema.yaml
while read -r file text; do
	rm high/*
	echo "$text" >high/$file
	for command in "check -c $config" "cat -c $config $file" "merge --schema settings/app.schema.yaml high/$file" \
		"set -c $config $file x 1"; do
		runs 1 "$PLYFS" $command
		grep -q "$file" err && ! grep hunter out err || fail "$command: a secret is shown"
	done
done <<-'END'
	app.yaml {db: {password: hunter2hunter2}, port: x}
	app.yaml {db: {password: hunter2hunter2}, port: [}
	app.yaml {db: {password: *hunter2}}
	app.yaml {db: {password: &hunter2 [*hunter2]}}
	app.json {"db": {"password": hunter2hunter2}}
	app.toml db = {password = hunter2hunter2}
END
rm high/*

# Nor is a word of a source that is left out.
echo 'db: {password: *hunter2}' >high/left.yaml
echo 'x: 1' >low/left.yaml
sed -i '$a options: {on_error: skip-layer}' $config
runs 0 "$PLYFS" cat -c $config left.yaml
tells 'high/left.yaml:1:16: a word is an alias'
runs 1 "$PLYFS" check -c $config left.yaml
! grep hunter err || fail 'a secret is shown'
sed -i '$d' $config
rm low/left.yaml high/*

# Nor is a value or a tag that the file's format can't hold.
sed -i 's/match: "\*"/&, dropins: true/' $config
while read -r file value; do
	mkdir -p high/$file.d
	echo "db: {password: $value}" >high/$file.d/1.yaml
	case $file in *.toml | *.ini | *.desktop) echo '[x]' ;; *) echo '{"x": 1}' ;; esac >high/$file
	runs 1 "$PLYFS" check -c $config $file
	tells "high/$file.d/1.yaml:1:16: a word "
	! grep 'hunter\|92345' err || fail "$value: a secret is shown"
	rm -r high/*
done <<-'END'
	app.toml 4923456789012345678901
	app.toml 49234567890123456789012345678901234567890
	app.toml 9234-56-78
	app.toml !hunter2 v
	app.json .inf
	app.ini !hunter2 v
	app.desktop !hunter2 v
END
sed -i 's/, dropins: true//' $config

# Nor is a tag or an anchor that a strategy refuses.
while read -r strategy text; do
	echo "$text" >high/app.yaml
	sed -i "s/match: \"\*\"/&, strategy: $strategy/" $config
	runs 1 "$PLYFS" check -c $config
	tells ": a word is "
	! grep 'hunter' err || fail "$strategy: a secret is shown"
	sed -i 's/, strategy: [a-z-]*//' $config
done <<-'END'
	salt db: {password: !aggr-hunter2 v}
	cloud-init db: {password: !hunter2 v}
	cloud-init db: {password: !hunter2 [v]}
	cloud-init db: {password: &hunter2 v, x: &hunter2 v}
END
rm high/*

# Nor is a value that does not fit its bound.
sed 's/schema:/bounds: {db.password: max}, &/' $config >settings/bounded.yaml
echo 'db: {password: hunter2hunter2}' >high/app.yaml
runs 1 "$PLYFS" check -c settings/bounded.yaml
tells "high/app.yaml:1:16: 'db.password' is bounded by max, and this is no number"
! grep hunter err || fail "a secret is shown"
rm high/*

# Nor does a change show it: not the value of before, nor the new one, nor one in a map or list that is new.
printf 'db:\n  password: hunter2hunter2\n  pin: "543254321"\nport: 1\n' >high/app.yaml
shows_none() {
	! grep -E 'hunter|54321|swordfish' out err || fail "'$*' shows a secret"
	grep -q 'db\|app.yaml' out err || fail "'$*' does not name it: $(cat out err)"
}
for options in '' -n --json '-n --json'; do
	for change in 'set app.yaml db.password swordfish-swordfish' 'set app.yaml db {password: swordfish-swordfish}' \
		'set app.yaml db.password=swordfish-swordfish port=2' 'unset app.yaml db.password' 'reset app.yaml db.password' \
		'set app.yaml db.password 543211234567890' 'edit app.yaml' 'unset app.yaml db' 'set new.yaml db.password swordfish-swordfish'; do
		cp high/app.yaml before
		read -r command path key value <<<"$change"
		# shellcheck disable=SC2086
		EDITOR='sed -i s/hunter2h/swordfish/' runs 0 "$PLYFS" $command $options -c $config $path $key ${value:+"$value"}
		shows_none "$command $options $key"
		mv before high/app.yaml
		rm -f high/new.yaml
	done
done
# Nor does a KEY that leads into the secret.
for command in get explain; do
	runs 1 "$PLYFS" $command -c $config app.yaml db.password.x
	tells "has no 'db.password.x'; 'db.password' is a scalar"
	shows_none $command
done
# Also where the file lacks what the schema requires before.
sed -i '1i required: [user]' settings/app.schema.yaml
runs 0 "$PLYFS" set -c $config app.yaml user=root db.password=swordfish-swordfish
shows_none "set of an invalid file"
runs 0 "$PLYFS" reset -n -c $config app.yaml
! grep -E 'hunter|54321' out err || fail "a secret is shown"
runs 0 "$PLYFS" set -c $config app.yaml port 2
grep -q 'app.yaml:4: port: 1 -> 2$' out || fail "it says: $(cat out)"
