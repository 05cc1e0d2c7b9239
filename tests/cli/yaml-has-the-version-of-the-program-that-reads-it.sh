#!/bin/bash
. "$(dirname "$0")/cli.sh"

# The version decides the values in JSON.
printf 'a: yes\nb: 0644\n' >low.yaml
echo 'c: 1' >high.yaml
json() { tr -d ' \n' <out; }
runs 0 "$PLYFS" merge --to json low.yaml high.yaml
[ "$(json)" = '{"a":true,"b":420,"c":1}' ]
runs 0 "$PLYFS" merge --yaml 1.2 --to json low.yaml high.yaml
[ "$(json)" = '{"a":"yes","b":644,"c":1}' ]
runs 2 "$PLYFS" merge --yaml 1.3 low.yaml
says "--yaml is 1.1 or 1.2, not '1.3'"

# A version in the file itself comes before that.
{ printf '%%YAML 1.2\n---\n'; cat low.yaml; } >own.yaml
runs 0 "$PLYFS" merge --to json own.yaml high.yaml
[ "$(json)" = '{"a":"yes","b":644,"c":1}' ]
{ printf '%%YAML 1.1\n---\n'; cat low.yaml; } >own.yaml
runs 0 "$PLYFS" merge --yaml 1.2 --to json own.yaml high.yaml
[ "$(json)" = '{"a":true,"b":420,"c":1}' ]

# The version of a rule comes before that of the options, and a virtual file has one as well. Items that are equal in
# one version are two in the other.
mkdir one two
for name in ruled.yaml other.yaml; do
	echo 'list: [yes, 0644]' >"one/$name"
	echo 'list: [true, 420]' >"two/$name"
done
cat >plyfs.yaml <<'YAML'
layers: [one, two]
rules:
  - {match: ruled.yaml, options: {lists: unique}, yaml: "1.2"}
  - {match: other.yaml, options: {lists: unique}}
files:
  - {path: virtual.json, from: other.yaml, options: {lists: unique}, yaml: 1.2}
options: {yaml: "1.1", header: false}
YAML
runs 0 "$PLYFS" cat -c plyfs.yaml ruled.yaml
[ "$(cat out)" = 'list: [yes, 0644, true, 420]' ]
runs 0 "$PLYFS" cat -c plyfs.yaml other.yaml
[ "$(cat out)" = 'list: [yes, 0644]' ]
runs 0 "$PLYFS" cat -c plyfs.yaml virtual.json
[ "$(json)" = '{"list":["yes",644,true,420]}' ]

# The option's older name still works, with a note; both at once are an error.
sed -i 's/^options: {yaml: "1.1"/options: {schema: "1.2"/' plyfs.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml other.yaml
[ "$(cat out)" = 'list: [yes, 0644, true, 420]' ]
says "plyfs.yaml:7:19: warning: the option 'schema' is called 'yaml' now: rename it"
sed -i 's/{schema: "1.2"/{schema: "1.2", yaml: "1.2"/' plyfs.yaml
runs 1 "$PLYFS" cat -c plyfs.yaml other.yaml
grep -q "'schema' is the older name of 'yaml'; give 'yaml' alone" err
sed -i 's/{schema: "1.2", yaml: "1.2"/{yaml: "1.3"/' plyfs.yaml
runs 1 "$PLYFS" cat -c plyfs.yaml other.yaml
grep -q "1.1, 1.2" err

# So it is with TOML: 1.1 is read unless the rule says 1.0, also in a drop-in.
mkdir -p one/old.toml.d
printf 'a = { b = 1, }\n' | tee one/new.toml >one/old.toml.d/50-more.toml
printf 'c = 1\n' | tee two/new.toml two/old.toml >one/old.toml
cat >plyfs.yaml <<'YAML'
layers: [one, two]
rules: [{match: old.toml, dropins: layers, toml: "1.0"}]
options: {header: false}
YAML
runs 0 "$PLYFS" cat -c plyfs.yaml new.toml
[ "$(cat out)" = $'a = { b = 1 }\nc = 1' ]
runs 1 "$PLYFS" cat -c plyfs.yaml old.toml
grep -q 'one/old.toml.d/50-more.toml:1:14: the rule has toml: "1.0", which has no comma behind the last value' err || fail "the message is: $(cat err)"

# A value that is typed for a source with %YAML has a type by that version, too.
rm -rf one two plyfs.yaml && mkdir one
printf '%%YAML 1.2\n---\nmode: 0o14\nflag: true\nn: 10\nlist: [1]\n' >one/own.yaml
cp one/own.yaml one/whole.cfg
printf 'layers: [one]\nrules: [{match: whole.cfg, format: yaml, strategy: last}]\n' >plyfs.yaml
for file in own.yaml whole.cfg; do
	sets() { runs 0 "$PLYFS" set -c plyfs.yaml "$file" "$@"; }
	sets mode 0o14
	grep -q 'nothing changes: it is so already' out
	sets mode=0o17 n=0644 flag=yes 'list=[on, 0o10, {on: 017}]'
	runs 0 "$PLYFS" get -c plyfs.yaml --json "$file" .
	[ "$(json)" = '{"mode":15,"flag":"yes","n":644,"list":["on",8,{"on":17}]}' ] || fail "$file: $(cat out)"
	sets n 1_000
	runs 0 "$PLYFS" get -c plyfs.yaml --json "$file" n
	[ "$(cat out)" = '"1_000"' ]
done
printf '%%YAML 1.1\n---\nmode: 014\nflag: true\nn: 10\n' >one/own.yaml
printf 'layers: [one]\noptions: {yaml: "1.2"}\n' >plyfs.yaml
file=own.yaml
sets mode=017 n=1_000 flag=off
runs 0 "$PLYFS" get -c plyfs.yaml --json "$file" .
[ "$(json)" = '{"mode":15,"flag":false,"n":1000}' ]
