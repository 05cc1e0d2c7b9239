#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo text >low/motd
start
for mode in -f ''; do
	fails_with 'mounted' "$PLYFS" mount $mode low:high mnt
done
shows mnt/motd text
[ "$(grep -cF " $directory/mnt " /proc/self/mountinfo)" -eq 1 ] || fail "it is mounted twice"

# A stopped daemon can't answer, and the command must not wait for it.
kill -STOP $plyfs_pid
fails_with 'does not answer' timeout 30 "$PLYFS" mount low:high mnt
kill -CONT $plyfs_pid
shows mnt/motd text
