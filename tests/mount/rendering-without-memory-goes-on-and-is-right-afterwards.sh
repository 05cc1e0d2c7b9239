#!/bin/bash
# As session-without-memory-goes-on-and-is-right-afterwards.sh, for a rendered directory.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/failing.sh"

mkdir out
FAILING=$PWD/failing LD_PRELOAD=$FAILING_LIBRARY "$PLYFS" render --watch --no-header -c plyfs.yaml out 2>log &
plyfs_pid=$!
eventually [ -e out/.plyfs/status ] || fail 'it does not begin'
python3 "$session" failing out "${FAILING_STEP:-37}" "${FAILING_SECONDS:-20}"
kill "$plyfs_pid"
ended_cleanly
