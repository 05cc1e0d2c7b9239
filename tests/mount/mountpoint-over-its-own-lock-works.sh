#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# A mount over /run/plyfs hides the file of its own lock: it has none, and is taken over by the signal.
need python3
need_root
need_private
mkdir -p /run/plyfs
echo 'a: 1' >low/app.yaml
cp -L "$PLYFS" plyfs
PLYFS=$directory/plyfs
was_tried() { "$PLYFS" status --json /run/plyfs | grep -q '"take_over": {"tried": 1}'; }

start low:high /run/plyfs
shows /run/plyfs/app.yaml 'a: 1'
fails_with "kill -USR2 $plyfs_pid" "$PLYFS" mount --take-over /run/plyfs
kill -USR2 "$plyfs_pid"
eventually was_tried || fail "it is not taken over: $(cat log)"
echo 'a: 2' >low/app.yaml
comes_to_show /run/plyfs/app.yaml 'a: 2'
stop /run/plyfs
mount_options=noheader,over_system start low:high /run
shows /run/app.yaml 'a: 2'
stop /run

# The twin: beside it there is a lock. Another run of this test may be there, too.
beside=$(mktemp -d /run/plyfs-beside.XXXXXX)
at_end 'umount -l "$beside" 2>/dev/null; rmdir "$beside"'
start low:high "$beside"
"$PLYFS" mount --take-over "$beside" || fail "it is not taken over"
stop "$beside"
