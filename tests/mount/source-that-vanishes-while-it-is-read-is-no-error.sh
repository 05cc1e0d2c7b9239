#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
start
comes_to_show mnt/app.yaml 'a: 1'
(
	for _ in $(seq 300); do
		echo 'b: 1' >high/app.yaml
		rm high/app.yaml
	done
) &
writer=$!
while kill -0 $writer 2>/dev/null; do
	text=$(cat mnt/app.yaml) || fail "reading fails"
	case $text in
	'a: 1' | $'a: 1\nb: 1') ;;
	*) fail "mnt/app.yaml is: $text" ;;
	esac
done
wait $writer
comes_to_show mnt/app.yaml 'a: 1'
[ -z "$(attribute mnt/app.yaml user.plyfs.error)" ]
