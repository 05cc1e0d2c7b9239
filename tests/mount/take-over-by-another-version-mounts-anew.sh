#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

need python3
need_root
printf 'a: 1\n' >low/app.yaml
start
shows mnt/app.yaml 'a: 1'
find_socket
exec 7<mnt
coproc FOREIGN { exec python3 "$(dirname "$test_file")/new_daemon.py" "$socket" foreign 2>log-foreign; }
read -r -t 20 -u "${FOREIGN[0]}" line && [ "$line" = ready ] || fail "$(cat log-foreign)"
taken_over "$PLYFS" mount --take-over -o noheader low:high mnt 2>said
grep -q 'of another version' said || fail "it says: $(cat said)"
shows mnt/app.yaml 'a: 1'
fails_with 'not connected' ls /proc/self/fd/7/
exec 7<&-
printf 'a: 2\n' | replace low/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
stop_taken_over
