#!/bin/bash
. "$(dirname "$0")/mount.sh"
# SIGTERM comes at the very moment in which the mount exists, and no process answers for it yet.

printf 'a: 1\n' >low/app.yaml
for turn in $(seq 20); do
	# The caller of the tests may ignore one of these signals.
	env --default-signal=HUP,TERM "$PLYFS" mount -f low:high mnt >>log 2>&1 &
	plyfs_pid=$!
	signal=$((turn % 2 ? 15 : 1))
	until grep -qF " $directory/mnt " /proc/self/mountinfo; do
		kill -0 $plyfs_pid || fail "plyfs ended instead of mounting"
	done
	kill -$signal $plyfs_pid
	ended_cleanly
	! is_mounted mnt || fail "turn $turn: the mount stays, and is dead"
done
start
shows mnt/app.yaml "$(cat low/app.yaml)"
stop
