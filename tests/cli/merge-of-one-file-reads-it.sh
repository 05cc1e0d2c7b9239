#!/bin/bash
. "$(dirname "$0")/cli.sh"

# One file is printed as it is, but it must parse.
for name in app.yaml app.json app.toml app.ini; do
	case $name in
	*.yaml) good='a:   1 # x' bad='a: [' ;;
	*.json) good='{"a":   1}' bad='{"a": }' ;;
	*.toml) good='a =   1 # x' bad='a = ' ;;
	*.ini) good=$'[a]\nb   =  1' bad='[a' ;;
	esac
	echo "$good" >$name
	runs 0 "$PLYFS" merge $name
	prints "$good"
	echo "$bad" >$name
	runs 1 "$PLYFS" merge $name
	prints ''
	grep -q "^plyfs: $name:1:" err || fail "$name: it says: $(cat err)"
done
runs 1 "$PLYFS" merge - <<<'a: b: c'
prints ''
grep -q "^plyfs: .*1:5: a second ': ' stands in one line" err || fail "it says: $(cat err)"

# A byte order mark in the middle, where files were joined.
mark=$'\xef\xbb\xbf'
printf 'a: 1\n%sb: 2\n' $mark >mark.yaml
printf '{"a": 1,\n%s"b": 2}\n' $mark >mark.json
printf 'a = 1\n%sb = 2\n' $mark >mark.toml
printf '[x]\r\n%s[y]\r\n' $mark >mark.ini
printf 'a=1\n%sb=2\n' $mark | tee mark.properties >mark.env
printf '[Unit]\n%s[Service]\n' $mark | tee mark.desktop >mark.service
for name in mark.*; do
	runs 1 "$PLYFS" merge $name
	grep -q "^plyfs: $name:2:1: a byte order mark (U+FEFF) stands in the middle of the file; remove it" err ||
		fail "$name: it says: $(cat err)"
done
# At the beginning, in a text and before another document it does no harm.
printf '%sa: x%sy\n---\n%sb: "\n  %sz"\n' $mark $mark $mark $mark >good.yaml
printf 'a = """\n%sx"""\n' $mark >good.toml
printf '%sa = x%sy\n' $mark $mark >good.ini
for name in good.*; do
	runs 0 "$PLYFS" merge $name
	cmp -s out $name || fail "$name: it prints: $(cat out)"
done

# A file that is not merged by its values is not parsed.
runs 0 "$PLYFS" merge -s last app.yaml
prints 'a: ['
: >empty.yaml
runs 0 "$PLYFS" merge empty.yaml
prints ''
