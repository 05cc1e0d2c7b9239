#!/bin/bash
# room.sh DIRECTORY READABLE...: becomes a systemd as process 1, in namespaces of its own, which can do nothing to the
# machine. Its root is a file system in memory. It can read /usr, /etc and READABLE, and write only the test's
# DIRECTORY. It knows the units in DIRECTORY/units and no others: above all none of the system's units, some of which
# empty directories at a boot.
set -euo pipefail

[ $$ -eq 1 ] || exit 1
directory=$1
shift
mount --make-rprivate /
mkdir -p "$directory/root"
mount -t tmpfs -o mode=755 tmpfs "$directory/root"
cd "$directory/root"
mkdir -p dev etc old proc run sys tmp usr var/tmp
for place in dev run sys; do
	mount -t tmpfs -o mode=755 tmpfs $place
done
for link in bin lib lib32 lib64 libx32 sbin; do
	[ ! -e /$link ] || [ -L /$link ] || exit 1
	[ ! -L /$link ] || cp -P /$link $link
done
for place in /usr /etc "$@"; do
	mkdir -p ".$place"
	mount --bind -o ro "$place" ".$place"
done
mkdir -p ".$directory"
mount --bind "$directory" ".$directory"
for device in full fuse null random tty urandom zero; do
	: >dev/$device
	mount --bind /dev/$device dev/$device
done
mount -t proc proc proc
mount --bind -o ro proc/sys proc/sys
mkdir -p dev/pts dev/shm sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
pivot_root . old
cd /
umount -l /old

[ "$(findmnt -rno FSTYPE /)" = tmpfs ]
# It can write nothing else: of the machine's file systems only the test's directory.
if findmnt -rno TARGET,FSTYPE,OPTIONS | awk -v "own=$directory" '
	$2 ~ /^(tmpfs|proc|cgroup2|devtmpfs)$/ || $1 == own || $3 ~ /^ro(,|$)/ { next }
	{ print; found = 1 } END { exit !found }'; then
	echo "these could be written" >&2
	exit 1
fi
mkdir /run/none
cp -r "$directory/units" /run/units
exec env -i PATH=/usr/sbin:/usr/bin container=other SYSTEMD_UNIT_PATH=/run/units SYSTEMD_GENERATOR_PATH=/run/none \
	SYSTEMD_ENVIRONMENT_GENERATOR_PATH=/run/none \
	/usr/lib/systemd/systemd --system --unit=basic.target --log-target=null --show-status=no
