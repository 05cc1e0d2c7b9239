#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need_root
need_private

echo 'a: 1' >low/app.yaml
device=
prepare_file_system() {
	if truncate -s 4M image && mkfs.ext4 -q -F image 2>/dev/null &&
		device=$(losetup --find --show image 2>/dev/null) && mount "$device" high 2>/dev/null; then
		# The file system goes when nothing uses it any more, however this test ends.
		attach() { mount "$device" high; }
		losetup --detach "$device"
	else
		[ -z "$device" ] || losetup --detach "$device"
		echo "no loop device: with a tmpfs"
		mkdir kept
		mount -t tmpfs tmpfs kept
		attach() { mount --bind kept high; }
		attach
	fi
}

# It was not there when the mount was made, as with a disk that comes late.
start
shows mnt/app.yaml 'a: 1'
prepare_file_system
mkdir high/dir
echo 'b: 1' | tee high/app.yaml high/dir/app.yaml >/dev/null
comes_to_show mnt/app.yaml $'a: 1\nb: 1'
comes_to_show mnt/dir/app.yaml 'b: 1'
echo 'b: 2' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 2'

# It is unmounted, and the directory below it shows. While the daemon stands in it, only a lazy unmount works.
exec 6<high
umount --lazy high
comes_to_show mnt/app.yaml 'a: 1'
comes_to_list mnt app.yaml
echo 'c: 1' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nc: 1'

# Back.
attach
exec 6<&-
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
comes_to_show mnt/dir/app.yaml 'b: 1'
echo 'b: 3' >high/dir/app.yaml
comes_to_show mnt/dir/app.yaml 'b: 3'
comes_to_equal_fresh

# No descriptor or watch of ours keeps an unmounted file system busy: neither one that came later, nor one that was
# there from the start.
is_free() { ! losetup --associated image | grep -q .; }
stop
start
shows mnt/dir/app.yaml 'b: 3'
umount --lazy high
comes_to_show mnt/app.yaml $'a: 1\nc: 1'
[ -z "$device" ] || eventually is_free || fail "the file system is still in use"
