#!/bin/bash
. "$(dirname "$0")/mount.sh"
# The daemon of version 0.2 gives its mount to a new process by a socket.

need python3
need_root
printf 'layers: [low, high]\noptions: {header: false}\n' >plyfs.yaml
printf 'a: 1\n' >low/app.yaml
printf 'b: 1\n' >high/app.yaml
coproc OLDER { exec python3 "$(dirname "$test_file")/manager.py" older -c plyfs.yaml mnt 2>log; }
older=$OLDER_PID
read -r -t 120 -u "${OLDER[0]}" _ first || fail "$(cat log)"
at_end "kill $first $older; rm -f /run/plyfs/$(stat -c %Hd:%Ld mnt)"
read -r -t 120 -u "${OLDER[0]}" line && [ "$line" = listens ] || fail "$(cat log)"
shows mnt/app.yaml $'a: 1\nb: 1'
exec 7<mnt/app.yaml
watch mnt

# With wrong settings it goes on.
printf 'layers: 17\n' >wrong.yaml
fails_with 'wrong.yaml:1:9' "$PLYFS" mount --take-over -c wrong.yaml mnt
[ "$(status pid)" = "$first" ] || fail "another process serves"

# With a state that the new process can't read, too, and the message has the remedy.
touch foreign
fails_with "can't read; it goes on: unmount, and mount again" "$PLYFS" mount --take-over -c plyfs.yaml mnt
! "$PLYFS" mount --take-over -c plyfs.yaml mnt 2>&1 | grep -E 'busy|anew' || fail "it says more"
[ "$(status pid)" = "$first" ] || fail "another process serves"
rm foreign

"$PLYFS" mount --take-over -c plyfs.yaml mnt || fail "it is not taken over: $(cat log)"
wait "$older" || fail "$(cat log)"
plyfs_pid=$(status pid)
[ "$plyfs_pid" != "$first" ] && has_ended "$first" || fail "the old one serves"
sleep 0.3
saw_no_events
shows /proc/self/fd/7 $'a: 1\nb: 1'
exec 7<&-
printf 'a: 2\n' | replace low/app.yaml
comes_event '^mnt/ MOVED_TO app.yaml$'
comes_to_show mnt/app.yaml $'a: 2\nb: 1'
unwatch

# From then on it stays the same process, although its command line has --take-over.
"$PLYFS" mount --take-over mnt
[ "$(status pid)" = "$plyfs_pid" ] || fail "another process serves"
[ "$(status take_over tried)" -eq 1 ] || fail "it was not taken over"
shows mnt/app.yaml $'a: 2\nb: 1'
unmount mnt
eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
plyfs_pid=
