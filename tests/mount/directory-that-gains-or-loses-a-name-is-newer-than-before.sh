#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir high/dir
touch low/dir/old
start
ls mnt/dir >/dev/null
last=$(stat -c %.9Y mnt/dir)
newer() { [ "$(printf '%s\n' "$last" "$(stat -c %.9Y mnt/dir)" | sort -n | tail -1)" != "$last" ]; }
after() {
	"$@"
	eventually newer || fail "its time stays $last after: $*"
	last=$(stat -c %.9Y mnt/dir)
}
after touch low/dir/new
after rm low/dir/new
after mkdir high/dir/sub
after rmdir high/dir/sub
after mv low/dir/old low/dir/other
# A layer that leaves takes its time with it; what is left is older, and has changed all the same.
touch -d '2001-01-01' low/dir
touch -d '2002-02-02' high/dir
stop
start
last=$(stat -c %.9Y mnt/dir)
after rm -r high/dir
