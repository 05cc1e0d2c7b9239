#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

# A server may answer some requests only: statfs(2), but no lookup; lookups, but no listing; or all but a read. A command
# that needs the others names its mount and ends.
echo 'low: 1' >low/app.yaml
for request in LOOKUP READDIR READ OPEN; do
	mkdir "part_$request"
	make_silent "part_$request" "half_$request"
done

# named COMMAND MOUNT: the command ends and names the mount.
named() {
	# shellcheck disable=SC2086
	ends 1 "$PLYFS" $1
	says "$directory/$2: does not answer for 5 s"
	[ "$(grep -o "does not answer for" <<<"$said" | wc -l)" -eq 1 ] || fail "$1: twice: $said"
}

while read -r command rest; do
	processes=()
	for request in LOOKUP READDIR READ OPEN; do
		[ "$command $request" != "cat READDIR" ] || continue # it lists nothing
		named "$command -l low:part_$request ${rest/%watched/watched_$request}" "part_$request" &
		processes+=($!)
	done
	for process in "${processes[@]}"; do
		wait "$process" || exit 1
	done
done <<'COMMANDS'
cat app.yaml
check
render --watch watched
COMMANDS
[ -z "$(compgen -G "watched*")" ] || fail "it has begun"

# The twin: the same server answers all of them. (No server answers FORGET.)
mkdir whole
make_silent whole half_FORGET
ends 0 "$PLYFS" cat -l low:whole app.yaml
says 'half: 1'
ends 0 "$PLYFS" check -l low:whole
ends 0 "$PLYFS" render -l low:whole rendered
grep -q 'half: 1' rendered/app.yaml || fail "it was not read"
