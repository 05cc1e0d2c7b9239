#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir
echo text | tee low/motd low/dir/motd >/dev/null
threads_end() { ! kill -0 "$1" 2>/dev/null; }

for way in umount fusermount3 TERM INT HUP; do
	[ $way != umount ] || [ "$(id -u)" -eq 0 ] || continue
	# nohup(1) ignores SIGHUP, and plyfs must keep that.
	[ $way != HUP ] || ! trap -p HUP | grep -q "''" || continue
	start
	cat mnt/motd mnt/dir/motd >/dev/null
	echo $way >low/motd
	comes_to_show mnt/motd $way
	pid=$plyfs_pid
	case $way in
	# While the change is being published, the mount is busy.
	umount) eventually umount mnt 2>unmounting || fail "it can't be unmounted: $(cat unmounting)" ;;
	fusermount3) eventually fusermount3 -u mnt 2>unmounting || fail "it can't be unmounted: $(cat unmounting)" ;;
	*) kill -$way "$plyfs_pid" ;;
	esac
	ended_cleanly
	! is_mounted mnt || fail "$way leaves the mount"
	threads_end "$pid" || fail "$way leaves a process"
	[ -z "$(ls -A mnt)" ] || fail "$way leaves files"
done

# The mount is in use: umount reports that, and a signal ends it all the same.
start
exec 5<mnt/dir/motd
fails_with busy unmount mnt
kill "$plyfs_pid"
ended_cleanly
exec 5<&-
! is_mounted mnt || fail "the mount stays"

# As root -f unmounts that, too, and waits for the end.
[ "$(id -u)" -eq 0 ] || exit 0
start
exec 5<mnt/dir/motd
"$PLYFS" umount -f mnt || fail "-f does not unmount"
! is_mounted mnt || fail "-f leaves the mount"
has_ended "$plyfs_pid" || fail "-f does not wait for the end"
ended_cleanly
exec 5<&-
