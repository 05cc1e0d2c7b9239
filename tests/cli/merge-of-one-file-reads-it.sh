#!/bin/bash
. "$(dirname "$0")/cli.sh"

# One file is printed as it is, and read all the same.
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

# What is not merged by its values is not read.
runs 0 "$PLYFS" merge -s last app.yaml
prints 'a: ['
: >empty.yaml
runs 0 "$PLYFS" merge empty.yaml
prints ''
