#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo text >low/motd
start
shows mnt/motd text
kill -9 $plyfs_pid
wait $plyfs_pid 2>/dev/null || true
plyfs_pid=
dead() { ! cat mnt/motd >/dev/null 2>&1; }
eventually dead || fail "it lives"
fails_with 'has ended' "$PLYFS" status mnt
fails_with 'has ended' "$PLYFS" mount --take-over mnt
for command in explain blame diff check; do
	fails_with 'has ended' "$PLYFS" $command mnt/motd
done

start
shows mnt/motd text
[ "$(grep -cF " $directory/mnt " /proc/self/mountinfo)" -eq 1 ] || fail "the dead mount is still there"
stop
