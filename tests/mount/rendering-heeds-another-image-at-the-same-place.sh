#!/bin/bash
# An image of a file system that is made anew can have the same inode numbers, sizes and times as the one before. A file
# whose source lies in it is made again when the other image is mounted there.
. "$(dirname "$0")/mount.sh"

need debugfs mkfs.ext4
need_private

# image NAME TEXT: an image with the file app.yaml. Only the bytes of the file tell one image from another.
image() {
	local name
	truncate -s 4M "$1"
	mkfs.ext4 -q -O ^has_journal -U 11111111-1111-1111-1111-111111111111 "$1"
	echo "$2" >text
	debugfs -w -R "write text app.yaml" "$1" >/dev/null 2>&1
	for name in ctime mtime atime crtime; do
		debugfs -w -R "set_inode_field app.yaml $name 20200101000000" "$1" >/dev/null 2>&1
		debugfs -w -R "set_inode_field app.yaml ${name}_extra 0" "$1" >/dev/null 2>&1
	done
}
image one.img 'x: 1'
image two.img 'x: 2'
mkdir image image/below
echo 'y: 1' >high/app.yaml

# with IMAGE MODE LAYER: mounts the image at MODE's place, renders, and unmounts it.
with() {
	mount -o "loop,$2" "$1" "$3" 2>mount.log || skip "no image can be mounted here: $(cat mount.log)"
	"$PLYFS" render -q -l "image:high" "$4" || fail "it was not rendered"
	eventually umount "$3"
}
shows_value() { # TREE FILE VALUE
	grep -qx "x: $3" "$1/$2" || fail "it has: $(cat "$1/$2")"
}
sleep 3
modes=(ro)
# An older kernel does not tell the two mounts of a file system that can be written to from each other.
[ "$(printf '6.8\n%s\n' "$(uname -r)" | sort -V | head -n 1)" != 6.8 ] || modes+=(rw,noatime)
for mode in "${modes[@]}"; do
	with one.img $mode image out-${mode%%,*}
	shows_value out-${mode%%,*} app.yaml 1
	with one.img $mode image out-${mode%%,*}
	with two.img $mode image out-${mode%%,*}
	shows_value out-${mode%%,*} app.yaml 2
done

# The image lies in a directory of the layer.
with one.img ro image/below below
shows_value below below/app.yaml 1
with two.img ro image/below below
shows_value below below/app.yaml 2
