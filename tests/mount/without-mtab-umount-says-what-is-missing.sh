#!/bin/bash
. "$(dirname "$0")/mount.sh"
# fusermount3 looks for the mount in /etc/mtab. On a machine without it, an ordinary user's umount names the file and
# the remedy; it does not say that the mount is busy.

need_root
need_private
need_ordinary_user
echo 'a: 1' >low/app.yaml
mkdir etc
cp -R /etc/fuse.conf /etc/passwd /etc/group /etc/alternatives etc/ 2>/dev/null || true
as_user ./plyfs mount low:high mnt
mount --bind etc /etc
at_end "umount -l /etc"
fails_with "fusermount3 needs /etc/mtab, which is missing; make it as root with 'ln -s ../proc/self/mounts /etc/mtab'" \
	as_user ./plyfs umount mnt
is_mounted mnt || fail "the mount is gone"
ln -s ../proc/self/mounts /etc/mtab
as_user ./plyfs umount mnt
