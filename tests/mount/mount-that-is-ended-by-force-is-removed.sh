#!/bin/bash
. "$(dirname "$0")/mount.sh"

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
