#!/bin/bash
. "$(dirname "$0")/mount.sh"

# curl -R and rsync -t write whole seconds, cp -p the old time. A file of more than 4 MiB is not copied, and its bytes are
# not compared.
need python3
size=5000000
fill() { head -c $size /dev/zero | tr '\0' "$1"; }
mkdir low/d
start
begins_with() { [ "$(head -c 1 mnt/d/big 2>/dev/null)" = "$1" ]; }

# The kernel has forgotten the file: watchers of the directory are woken all the same, and it has a new number.
for times in '2026-01-01 2026-02-01' '2026-03-01 2026-03-01'; do
	fill A >old
	fill B >new
	touch -d "${times% *}" old
	touch -d "${times#* }" new
	mv old low/d/big # one change, which no event follows
	eventually begins_with A
	number=$(stat -c %i mnt/d/big)
	[ "$(id -u)" -ne 0 ] || forget_names
	watch mnt/d
	cp -p new low/d/big
	eventually test -s events || fail "no watcher is woken ($times)"
	unwatch
	eventually begins_with B || fail "the old bytes are shown ($times)"
	[ "$(stat -c %i mnt/d/big)" != "$number" ] || fail "it keeps its number ($times)"
done
stop
