#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"
# A signal asks the daemon to end just as it waits for its publisher, which is stopped, as a take-over is wanted. The
# daemon continues the publisher, and the mount ends.

need_root
echo 'a: 1' >low/app.yaml
start
cat mnt/app.yaml >/dev/null
publish_process() { pgrep -P "$plyfs_pid" -x plyfs-publish; }
eventually publish_process >/dev/null
publish=$(publish_process)
kill -STOP "$publish"
echo 'a: 2' >low/app.yaml
sleep 0.5
kill -USR2 "$plyfs_pid"
sleep 0.05
kill -TERM "$plyfs_pid"
eventually has_ended "$plyfs_pid" || fail "it has not ended"
plyfs_pid=
! is_mounted mnt || fail "the mount stays"

# At any other moment, too: during the trial, while the daemon comes to rest, and before the new program serves.
for pause in 0 0.01 0.02 0.03 0.04 0.05 0.06 0.07 0.08 0.1 0.12 0.15; do
	start
	cat mnt/app.yaml >/dev/null
	kill -USR2 "$plyfs_pid"
	sleep $pause
	kill -TERM "$plyfs_pid"
	ended_cleanly
	! is_mounted mnt || fail "after $pause s: the mount stays"
done
