#!/bin/bash
. "$(dirname "$0")/../cli/cli.sh"

# A page as plain words, without scdoc's marks.
words() { tr -d '*_\\' <"$DOCS/$1"; }
words plyfs.1.scd >page

for command in $("$PLYFS" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	grep -qx "## plyfs $command" page || fail "plyfs(1) does not tell of the command '$command'"
	sed -n "/^## plyfs $command\$/,/^#/{/^## plyfs $command\$/!p}" page >section
	for option in $("$PLYFS" __complete "$command" - | cut -f1); do
		[ "$option" != --help ] || continue
		grep -q -- "$option" section ||
			fail "plyfs(1) does not tell of the option '$option' of '$command'"
	done
done

# Each page names the others.
for page in plyfs.1.scd plyfs.yaml.5.scd plyfs-merge.7.scd.in; do
	words $page | sed -n '/^# SEE ALSO/,$p' >also
	for other in 'plyfs(1)' 'plyfs.yaml(5)' 'plyfs-merge(7)'; do
		[ "$(words $page | head -1)" = "$other" ] || grep -qF "$other" also ||
			fail "$page does not name $other"
	done
done
