#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

# If the kernel ends the connection, a dead mount would stay. It is removed, and that is a failure, after which systemd
# starts plyfs again.
need_root
need python3
echo text >low/motd
start
exec 5<mnt/motd
python3 -c 'import ctypes; ctypes.CDLL(None).umount2(b"mnt", 1)'
code=0
wait "$plyfs_pid" || code=$?
[ $code -eq 1 ] || fail "it ends with $code"
! is_mounted mnt || fail "a dead mount stays"
grep -q 'was ended by the kernel' log || fail "it says: $(cat log)"
exec 5<&-

# The twin: somebody unmounts it.
start
umount mnt
ended_cleanly
[ "$(grep -c 'was ended by the kernel' log)" -eq 1 ] || fail "it says: $(cat log)"

# A newer mount there stays, although the kernel gives it the numbers of the old one, and it does not answer.
numbers() { awk -v path="$directory/mnt" '$5 == path { print $1, $3 }' /proc/self/mountinfo; }
mount_options=noheader,unpublished
start
old=$(numbers)
kill -STOP "$plyfs_pid"
umount mnt
make_silent mnt mute
new=$(numbers)
kill -CONT "$plyfs_pid"
ended_cleanly
[ "$(numbers)" = "$new" ] || fail "the newer mount is gone; the numbers were $old, then $new"
