#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# A new daemon that has got everything may take a minute to answer that it is ready.
need python3
need_root
new_daemon=$(dirname "$test_file")/new_daemon.py
echo 'a: 1' >low/app.yaml
start
shows mnt/app.yaml 'a: 1'
find_socket
coproc SILENT { exec python3 "$new_daemon" "$socket" silent 2>log-silent; }
silent_pid=$SILENT_PID
read -r -t 20 -u "${SILENT[0]}" line && [ "$line" = given ] || fail "$(cat log-silent)"
began=$SECONDS
kill -TERM "$plyfs_pid"
ended_cleanly
[ $((SECONDS - began)) -lt 8 ] || fail "it took $((SECONDS - began)) s"
! is_mounted mnt || fail "the mount stays"
wait "$silent_pid" || fail "$(cat log-silent)"
