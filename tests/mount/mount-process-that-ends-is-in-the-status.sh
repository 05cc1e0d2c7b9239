#!/bin/bash
. "$(dirname "$0")/mount.sh"

need pgrep

echo one >low/motd
start
shows mnt/motd one
# find_publisher: the process, which is named and ignores signals, SIGUSR1 as the last, a moment after its start.
is_at_work() {
	publisher=$(pgrep -P $plyfs_pid -x plyfs-publish) &&
		((0x$(awk '$1 == "SigIgn:" { print $2 }' "/proc/$publisher/status") >> 9 & 1))
}
find_publisher() { eventually is_at_work || fail "there is no process that publishes"; }
find_publisher
held=$(readlink "/proc/$publisher/fd/"* | grep -c /dev/fuse) || true
[ "$held" -eq 0 ] || fail "it holds /dev/fuse"
[ "$(ls "/proc/$publisher/fd" | wc -l)" -le 2 ] || fail "it holds: $(ls -l "/proc/$publisher/fd")"

# Signals that a terminal sends to all processes are for the daemon.
kill -INT $publisher
kill -HUP $publisher
kill -TERM $publisher
echo two >low/motd
comes_to_show mnt/motd two
[ "$(status publisher mode)" != none ] || fail "it heard a signal that was the daemon's"

# The twin: without the process reads are right all the same, and it is no zombie.
kill -KILL $publisher
is_reaped() { [ ! -e "/proc/$publisher" ]; }
eventually is_reaped || fail "it is a zombie"
watch mnt
echo three >low/motd
comes_to_show mnt/motd three
unwatch
! has_event MOVED_TO || fail "somebody was woken: $(cat events)"
[ "$(status publisher mode)" = none ] || fail "the mode is $(status publisher mode)"
[[ $(status publisher reason) == *"unmount and mount again"* ]] || fail "the reason is: $(status publisher reason)"
stop

# It may be stopped while it is needed: the daemon ends all the same, and the process ends with the daemon.
start
find_publisher
shows mnt/motd three
kill -STOP $publisher
echo four >low/motd
sleep 0.2
kill -TERM $plyfs_pid
ended_cleanly
eventually is_reaped || fail "it outlives the daemon"

# Whatever ends the daemon.
start
find_publisher
kill -KILL $plyfs_pid
wait $plyfs_pid 2>/dev/null || true
plyfs_pid=
eventually is_reaped || has_ended $publisher || fail "it outlives a daemon that was killed"
