#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"
# The mount has been given to a new daemon, and the old one has ended. The new daemon gets no descriptor, so it
# takes the mount away.

need python3
need_root

printf 'a: 1\n' >low/app.yaml
start
shows mnt/app.yaml 'a: 1'
find_socket
coproc ALONE { exec python3 "$(dirname "$test_file")/new_daemon.py" "$socket" alone 2>log-alone; }
alone_pid=$ALONE_PID
read -r -t 20 -u "${ALONE[0]}" line && [ "$line" = ready ] || fail "$(cat log-alone)"
fails_with 'Too many open files' timeout 60 "$PLYFS" mount -f --take-over -o noheader low:high mnt
wait "$alone_pid" || fail "$(cat log-alone)"
! is_mounted mnt || fail "the mount stays, and is dead"
ended_cleanly
start
shows mnt/app.yaml 'a: 1'
stop
