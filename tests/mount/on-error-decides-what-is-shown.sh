#!/bin/bash
. "$(dirname "$0")/mount.sh"

# And the error says what that is.
need getfattr python3
tells() { [[ $(attribute "$1" user.plyfs.error) == *"; "$2")" ]] || fail "$1: $(cat mnt/.plyfs/errors)"; }
fails='reading it fails until this is repaired'
comes_to_fail() {
	unreadable() { ! cat mnt/app.yaml >/dev/null 2>&1; }
	eventually unreadable || fail "a broken file is still shown"
	fails_with 'Input/output error' cat mnt/app.yaml
}
# One file was good, and one has a source that never was.
begin() {
	echo 'a: 1' | tee low/app.yaml >low/never.yaml
	echo 'b: 1' >high/app.yaml
	echo 'b: [' >high/never.yaml
	printf 'layers: [low, high]\n%s\n' "$1" >plyfs.yaml
	start -c plyfs.yaml mnt
	shows mnt/app.yaml $'a: 1\nb: 1'
}

begin ''
comes_to_list mnt app.yaml never.yaml
fails_with 'Input/output error' cat mnt/never.yaml
[[ $(attribute mnt/never.yaml user.plyfs.error) == "$PWD"/high/never.yaml:* ]]
tells mnt/never.yaml "$fails"
[ "$(status troubles 0 serves)" = nothing ]
fails_with "$PWD/high/never.yaml:" "$PLYFS" cat -l low:high never.yaml
echo 'b: 1' >high/never.yaml
comes_to_show mnt/never.yaml $'a: 1\nb: 1'
stop

# Each time a source that does not parse, and one that parses and is no map.
begin 'options: {on_error: fail}'
for broken in 'b: [' 'log debug'; do
	echo "$broken" | replace high/app.yaml
	comes_to_fail
	tells mnt/app.yaml "$fails"
	grep -q "app.yaml.*(app.yaml, since .*; $fails)" log
	echo 'b: 1' | replace high/app.yaml
	comes_to_show mnt/app.yaml $'a: 1\nb: 1'
done
stop

# One that was good keeps its last good values; one that never was is left out, as if it did not exist.
begin 'options: {on_error: skip-layer}'
shows mnt/never.yaml 'a: 1'
tells mnt/never.yaml 'the merge of the other layers is served'
[ "$(status troubles 0 serves)" = other-layers ]
echo 'log debug' >high/never.yaml
echo 'a: 2' >low/never.yaml
comes_to_show mnt/never.yaml 'a: 2'
grep -q 'high/never.yaml:1:1: the file is a string here and a map in .*low/never.yaml:1:1' mnt/.plyfs/errors ||
	fail "the error is not reported: $(cat mnt/.plyfs/errors)"
echo 'b: 2' | replace high/never.yaml
comes_to_show mnt/never.yaml $'a: 2\nb: 2'
number=1
for broken in 'b: {' 'log debug'; do
	echo "$broken" | replace high/app.yaml
	echo "a: $((++number))" >low/app.yaml
	comes_to_show mnt/app.yaml "a: $number"$'\nb: 1'
	tells mnt/app.yaml 'its values of * ago stay, all others are the newest'
	[ "$(status troubles 0 serves)" = last-good-source ]
done
echo 'b: 2' >high/app.yaml
comes_to_show mnt/app.yaml "a: $number"$'\nb: 2'
stop

# A word of a source may be a secret.
echo 'properties: {pin: {writeOnly: true}}' >schema.yaml
begin $'options: {on_error: skip-layer}\nrules: [{match: app.yaml, schema: schema.yaml}]'
echo 'pin: *hunter2' | replace high/app.yaml
tells_word() { grep -q 'app.yaml:1:6: a word is an alias' mnt/.plyfs/errors; }
eventually tells_word || fail "$(cat mnt/.plyfs/errors)"
! grep hunter mnt/.plyfs/errors log || fail 'a secret is shown'
