#!/bin/bash
# If `plyfs render --watch` fails in the midst of a change, the file keeps what it has of the new version until the
# change is tried again. It never gets the version before it back, which the layers no longer have.
. "$(dirname "$0")/mount.sh"

# A preloaded library comes before the sanitizer, which refuses that by default.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
printf 'one\n' >low/file
touch -d '1 minute ago' low/file

# The second time is set after the new rights: that fails.
LD_PRELOAD=$DYING_LIBRARY DYING=2 DYING_CALL=futimens DYING_ERRNO=5 \
	"$PLYFS" render --watch --no-header -l low out 2>log &
plyfs_pid=$!
eventually test -s out/file

is_closed() {
	[ "$(stat -c %a out/file)" = 400 ]
}

# A file with other rights and another time, and the same bytes.
printf 'one\n' >new
chmod 600 new
mv new low/file
eventually is_closed
for ((i = 0; i < 50; i++)); do
	is_closed || fail "the file has its former rights again: $(stat -c %A out/file)"
	sleep 0.02
done
grep -q '^dying: futimens' log || fail 'no call failed'
kill "$plyfs_pid"
wait "$plyfs_pid"
plyfs_pid=
