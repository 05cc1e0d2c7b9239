#!/bin/bash
. "$(dirname "$0")/mount.sh"
# CYCLES=1000 runs that many cycles.

cycles=${CYCLES:-20}
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
need_root
mkdir tmp
export TMPDIR=$directory/tmp
processes=() locks=()

# Only mounts and processes of ours: other programs mount and start processes meanwhile.
remains() {
	local pid lock
	grep -F "$directory" /proc/self/mountinfo || true
	for pid in "${processes[@]}"; do
		has_ended "${pid%%:*}" || [ "${pid#*:}" != "$(begin_of "${pid%%:*}")" ] || echo "process $pid"
	done
	for lock in "${locks[@]}"; do
		! locks_of "${lock%% *}" | grep -qxF "$lock" || echo "lock $lock"
	done
}
# The locks by which a process is found: "PID BYTE".
locks_of() {
	awk -v pid="$1" -v file=":$(stat -c %i /run/plyfs/mounts)" \
		'$2 == "POSIX" && $5 == pid && $6 ~ file "$" { print $5, $7 }' /proc/locks
}
# A process number may later be another process's; its start time may not.
begin_of() { cut -d' ' -f22 "/proc/$1/stat" 2>/dev/null || true; }
# Everything that a mount's process has started ends with it.
note_processes() {
	local pid daemon
	daemon=$(status pid)
	for pid in "$daemon" $(cat "/proc/$daemon/task/$daemon/children"); do
		processes+=("$pid:$(begin_of "$pid")")
	done
}

for ((cycle = 1; cycle <= cycles; cycle++)); do
	"$PLYFS" mount -o noheader low:high mnt
	shows mnt/app.yaml $'a: 1\nb: 1'
	note_processes
	daemon=$(status pid)
	# The daemon of the last mount, of the same device, may still have the lock.
	has_lock() { [ -n "$(locks_of "$daemon")" ]; }
	eventually has_lock || fail "it can't be taken over"
	locks+=("$(locks_of "$daemon")")
	case $((cycle % 4)) in
	0) umount mnt ;;
	1) "$PLYFS" umount mnt ;;
	2) kill -TERM "$(status pid)" ;;
	3)
		pid=$(status pid)
		kill -9 "$pid"
		eventually has_ended "$pid"
		umount -l mnt
		;;
	esac
	free() { ! is_mounted mnt; }
	eventually free || fail "cycle $cycle: it is still mounted"
done
is_clean() { [ -z "$(remains)" ]; }
eventually is_clean || fail "this is left: $(remains)"
[ -z "$(ls -A "$TMPDIR")" ] || fail "files are left: $(ls -A "$TMPDIR")"
[ "$(find low high -type f | wc -l)" -eq 2 ] || fail "a layer has changed"
