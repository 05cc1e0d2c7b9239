#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# The kernel gives the device of a mount that has ended to the next one at once. The daemon of the first may not have
# noticed its end yet: then it still has the lock by which the daemon of this device is found.
need_root
need python3
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
stopped=()
go_on() { kill -CONT "${stopped[@]}" 2>/dev/null || true; }
at_end go_on

has_lock() {
	awk -v pid="$plyfs_pid" -v file=":$(stat -c %i /run/plyfs/mounts)" \
		'$2 == "POSIX" && $5 == pid && $6 ~ file "$" { found = 1 } END { exit !found }' /proc/locks
}
# umount(8) would ask the stopped daemon about the directory.
unmount_only() {
	python3 -c 'import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.umount2(b"mnt", 0) < 0:
	sys.exit(os.strerror(ctypes.get_errno()))'
}
is_unmounted_at_rest() { unmount_only 2>unmounting; }
# The next mount of any program gets the device: it may be another's.
for ((i = 0; i < 20; i++)); do
	# A published mount's device goes with its processes.
	start -o unpublished low:high mnt
	device=$(stat -c %d mnt)
	kill -STOP "$plyfs_pid"
	stopped+=("$plyfs_pid")
	eventually is_unmounted_at_rest || fail "it can't be unmounted: $(cat unmounting)"
	start low:high mnt
	[ "$(stat -c %d mnt)" != "$device" ] || break
	stop
done
[ "$i" -lt 20 ] || skip "other mounts got the device each time"

! has_lock || fail "two processes have one lock"
go_on
eventually has_lock || fail "it can't be found after the other daemon has ended"
taken_over "$PLYFS" mount --take-over mnt
shows mnt/app.yaml $'a: 1\nb: 1'
stop
