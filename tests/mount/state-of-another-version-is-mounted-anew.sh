#!/bin/bash
. "$(dirname "$0")/mount.sh"
# The service manager keeps the mount of a plyfs of another version, and starts this one.

need python3
need_root
printf 'a: 1\n' >low/app.yaml
coproc MANAGER { exec python3 "$(dirname "$test_file")/manager.py" foreign -o noheader low:high mnt 2>log; }
manager=$MANAGER_PID
read -r -t 120 -u "${MANAGER[0]}" line && [[ $line = ready* ]] || fail "$(cat log)"
shows mnt/app.yaml 'a: 1'
exec 7<mnt
echo >&"${MANAGER[1]}"
read -r -t 120 -u "${MANAGER[0]}" plyfs_pid || fail "$(cat log)"
grep -q 'of another version' log || fail "it says: $(cat log)"
shows mnt/app.yaml 'a: 1'
fails_with 'not connected' ls /proc/self/fd/7/
exec 7<&-
printf 'a: 2\n' | replace low/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
unmount mnt
wait "$manager" || fail "$(cat log)"
plyfs_pid=
