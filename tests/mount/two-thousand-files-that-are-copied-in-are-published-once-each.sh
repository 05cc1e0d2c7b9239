#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need inotifywait
copy() {
	if command -v rsync >/dev/null; then
		rsync -a "$1/" "$2/"
	else
		cp -a "$1/." "$2/"
	fi
}
mkdir -p low/sub old new
seq 2000 | awk '{
	print "a: " $1 >"low/sub/" $1 ".yaml"
	print "b: " $1 >"old/" $1 ".yaml"
	print "b: new-" $1 >"new/" $1 ".yaml"
	close("low/sub/" $1 ".yaml")
	close("old/" $1 ".yaml")
	close("new/" $1 ".yaml")
}'
# rsync(1) tells what has changed by size and time.
touch -d '2001-01-01' old/*
mkdir high/sub
copy old high/sub
start
cat mnt/sub/* | grep -c . >lines
[ "$(cat lines)" -eq 4000 ] || fail "there are $(cat lines) lines"

watch mnt/sub
copy new high/sub
comes_to_show mnt/sub/2000.yaml $'a: 2000\nb: new-2000'
comes_to_equal_fresh
unwatch
[ "$(grep -c 'MOVED_TO' events)" -eq 2000 ] ||
	fail "2000 files made $(grep -c MOVED_TO events) events; twice: $(sort events | uniq -d | head -5)"
# Directories are told of a new time and mode by ATTRIB alone.
others=$(grep -v MOVED_TO events || true)
[ -z "$others" ] || fail "there were other events: $others"
