#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

need python3
need_root
new_daemon=$(dirname "$test_file")/new_daemon.py
printf 'a: 1\n' >low/app.yaml
start
shows mnt/app.yaml 'a: 1'
find_socket
watch mnt

is_served_as_before() {
	[ "$(serving)" = "$plyfs_pid" ] || fail "somebody else serves"
	sleep 0.2
	saw_no_events
	printf 'a: %s\n' "$1" | replace low/app.yaml
	comes_event '^mnt/ MOVED_TO app.yaml$'
	comes_to_show mnt/app.yaml "a: $1"
	unwatch 0.1
	watch mnt
}

# A new daemon gets everything and ends, or answers that it can't take it.
python3 "$new_daemon" "$socket" vanish
eventually grep -q 'was not taken over' log || fail "nobody says so"
is_served_as_before 2
python3 "$new_daemon" "$socket" refuse
is_served_as_before 3

# A new daemon that is too late learns that only when it is ready, and ends.
coproc LATE { exec python3 "$new_daemon" "$socket" late 2>log-late; }
late_pid=$LATE_PID
read -r -t 20 -u "${LATE[0]}" line && [ "$line" = ready ] || fail "$(cat log-late)"
fails_with 'Operation canceled' timeout 60 "$PLYFS" mount -f --take-over -o noheader low:high mnt
wait "$late_pid" || fail "$(cat log-late)"
is_served_as_before 6
# The one that failed is not the one that serves.
printf 'layers: [low, high]\noptions: {header: false, coherence: strict}\n' >strict.yaml
fails_with 'coherence' "$PLYFS" mount -f --take-over -c strict.yaml mnt
at_end "kill -CONT $plyfs_pid"
kill -STOP "$plyfs_pid"
fails_with "(process $plyfs_pid serves it)" "$PLYFS" status mnt
kill -CONT "$plyfs_pid"
is_served_as_before 7

# The process at the other end makes no offer, or is not plyfs.
is_served_as_before 4
fails_with 'no plyfs of yours serves it' "$PLYFS" mount -f --take-over low:high low
if command -v setpriv >/dev/null; then
	chmod 755 "$directory"
	fails_with 'no plyfs of yours serves it' setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$PLYFS" mount -f --take-over low:high "$directory/mnt"
	fails_with 'Permission denied' setpriv --reuid 65534 --regid 65534 --clear-groups \
		python3 - "$socket" <<<'import socket, sys
socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(sys.argv[1])'
fi
is_served_as_before 5
stop
