#!/bin/bash
. "$(dirname "$0")/cli.sh"

fits() {
	runs 0 "$PLYFS" "$@"
	[ -s out ] || fail "'$*' prints nothing"
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' out >long || fail "'$*' is too wide: $(cat long)"
	! grep -n ' $' out || fail "'$*' ends lines with spaces"
}

fits --help
commands=$(awk '/^  [a-z]/ { print $1 }' out)
[ "$(wc -w <<<"$commands")" -gt 12 ] || fail "there are: $commands"
for command in $commands; do
	# A build without FUSE lists these only by name.
	[[ $command != *mount || $("$PLYFS" help mount 2>&1) != *'built without FUSE'* ]] || continue
	fits "$command" --help
	cp out other
	fits help "$command"
	cmp out other
done

# The help of help itself fits, too.
fits help
for word in help --help -h; do
	fits help $word
	prints 'usage: plyfs help [COMMAND]

Lists the commands, or prints the usage and the options of one.'
done
runs 2 "$PLYFS" help help mount
says "'mount' is one too many"
