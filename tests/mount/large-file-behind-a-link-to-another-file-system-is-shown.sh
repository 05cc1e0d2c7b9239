#!/bin/bash
. "$(dirname "$0")/mount.sh"
# A link of a layer with `follow` leads to a FUSE file system. A file there that is too large for a copy is shown as any
# other, and so is a later version of it.

need_root
mkdir source far
head -c 6000000 /dev/urandom >source/large.bin
head -c 300000 /dev/urandom >source/small.bin
start source far
far_pid=$plyfs_pid
at_end "umount -l $directory/far 2>/dev/null; kill $far_pid 2>/dev/null"
plyfs_pid=
ln -s "$directory/far" high/d
printf 'options: {header: false, poll_interval: 100ms}\nlayers: [low, {path: high, follow: true}]\n' >plyfs.yaml
start -c plyfs.yaml mnt
is_shown() { timeout 60 cmp -s "mnt/d/$1" "source/$1"; }
for name in large.bin small.bin; do
	is_shown $name || fail "$name: $(cat mnt/.plyfs/errors)"
done
head -c 7000000 /dev/urandom | replace source/large.bin
eventually is_shown large.bin || fail "another version: $(cat mnt/.plyfs/errors)"
stop
