#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr python3
mkdir -p low/app.yaml.d
echo 'base: 1' >low/app.yaml
for team in one two; do
	echo "$team: {port: 1}" >low/app.yaml.d/$team.yaml
done
cat >plyfs.yaml <<'END'
layers: [low, high]
rules:
  - {match: "*.yaml", strategy: deep, dropins: true, options: {lists: {list: {by: name, twice: error}}}}
options: {header: false}
END
start -c plyfs.yaml mnt
shows mnt/app.yaml $'base: 1\none: {port: 1}\ntwo: {port: 1}'
error() { attribute mnt/app.yaml user.plyfs.error; }
says() { [[ $(error) == *"$1"* ]]; }
mended() { [ -z "$(error)" ]; }

# The other drop-ins go on changing, and the error names the source and since when.
echo 'one: {port: [2' | replace low/app.yaml.d/one.yaml
eventually says one.yaml: || fail "the error is not seen"
echo 'two: {port: 2}' >low/app.yaml.d/two.yaml
comes_to_show mnt/app.yaml $'base: 1\none: {port: 1}\ntwo: {port: 2}'
since=$(status troubles 0 since)
echo 'base: 2' >high/app.yaml
comes_to_show mnt/app.yaml $'base: 2\none: {port: 1}\ntwo: {port: 2}'
says 'its values of' || fail "the attribute says: $(error)"
[ "$(status troubles 0 serves)" = last-good-source ]
[ "$(status troubles 0 since)" = "$since" ] || fail "it is broken since another time"

# The same with two broken ones, and one that is mended while the other is not.
echo 'two: {port: [3' >low/app.yaml.d/two.yaml
echo 'base: 3' >high/app.yaml
comes_to_show mnt/app.yaml $'base: 3\none: {port: 1}\ntwo: {port: 2}'
echo 'one: {port: 3}' >low/app.yaml.d/one.yaml
comes_to_show mnt/app.yaml $'base: 3\none: {port: 3}\ntwo: {port: 2}'
eventually says two.yaml: || fail "the attribute says: $(error)"

# A new drop-in comes, and a broken one goes.
echo 'three: 1' | replace low/app.yaml.d/three.yaml
comes_to_show mnt/app.yaml $'base: 3\none: {port: 3}\nthree: 1\ntwo: {port: 2}'
rm low/app.yaml.d/two.yaml
comes_to_show mnt/app.yaml $'base: 3\none: {port: 3}\nthree: 1'
eventually mended || fail "the error stays: $(error)"

# A drop-in that can be read but not merged is broken as well.
echo 'list: [{name: a, x: 1}]' | replace low/app.yaml.d/four.yaml
comes_to_show mnt/app.yaml $'base: 3\nlist: [{name: a, x: 1}]\none: {port: 3}\nthree: 1'
echo 'list: [{name: a}, {name: a}]' | replace low/app.yaml.d/four.yaml
eventually says four.yaml: || fail "the same key twice is no error"
echo 'three: 2' | replace low/app.yaml.d/three.yaml
comes_to_show mnt/app.yaml $'base: 3\nlist: [{name: a, x: 1}]\none: {port: 3}\nthree: 2'

# The same if another one is written meanwhile, so that the file is merged once more.
for i in {1..12}; do
	echo "list: [{name: a, x: $i}]" | replace low/app.yaml.d/four.yaml
	echo 'three: 0' >low/app.yaml.d/three.yaml
	comes_to_show mnt/app.yaml "base: 3"$'\n'"list: [{name: a, x: $i}]"$'\none: {port: 3}\nthree: 0'
	eventually mended || fail "the error stays: $(error)"
	echo 'list: [{name: a}, {name: a}]' | replace low/app.yaml.d/four.yaml
	echo "three: $i" >low/app.yaml.d/three.yaml
	comes_to_show mnt/app.yaml "base: 3"$'\n'"list: [{name: a, x: $i}]"$'\none: {port: 3}\nthree: '"$i"
done
echo 'three: 2' | replace low/app.yaml.d/three.yaml
rm low/app.yaml.d/four.yaml
eventually mended || fail "the error stays: $(error)"

# A drop-in that never was good has no state that could stay: the whole file waits for it.
echo 'five: [' | replace low/app.yaml.d/five.yaml
eventually says five.yaml: || fail "the error is not seen: $(error)"
echo 'three: 3' | replace low/app.yaml.d/three.yaml
sleep 0.3
shows mnt/app.yaml $'base: 3\none: {port: 3}\nthree: 2'
says 'the version of' || fail "the attribute says: $(error)"
echo 'five: 1' | replace low/app.yaml.d/five.yaml
comes_to_show mnt/app.yaml $'base: 3\nfive: 1\none: {port: 3}\nthree: 3'
