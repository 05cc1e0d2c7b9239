#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"
# A layer on a file system of its own is full, becomes read-only and writable again, is covered by another, and is taken
# away. At each step the mount is what a fresh one is.

need_root
need_private
echo 'a: 1' >low/app.yaml
mount -t tmpfs -o size=64k,nr_inodes=20 first high
mkdir high/dir
echo 'b: 1' | tee high/app.yaml high/dir/app.yaml >/dev/null
start
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/dir/app.yaml 'b: 1'

# Full: a program can't replace its file, and leaves nothing beside it that shows.
head -c 100k /dev/zero >high/filler 2>/dev/null || true
! { seq -f 'b%g: 1' 2000 >high/dir/.app.yaml~; } 2>/dev/null || fail "it is not full"
rm -f high/dir/.app.yaml~
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/dir/app.yaml 'b: 1'
echo 'a: 2' >low/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 1'
comes_to_equal_fresh
rm high/filler
echo 'b: 2' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 2'

# Remounted.
mount -o remount,ro high
shows mnt/app.yaml $'a: 2\nb: 2'
comes_to_equal_fresh
mount -o remount,rw,size=1m high
echo 'b: 3' >high/dir/app.yaml
comes_to_show mnt/dir/app.yaml 'b: 3'
comes_to_equal_fresh

# Another is mounted over it, and taken away while files in it are open.
mount -t tmpfs second high
echo 'c: 1' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nc: 1'
comes_to_list mnt app.yaml
comes_to_equal_fresh
exec 6<high/app.yaml
umount -l high
comes_to_show mnt/app.yaml $'a: 2\nb: 2'
comes_to_show mnt/dir/app.yaml 'b: 3'
exec 6<&-
echo 'b: 4' >high/dir/app.yaml
comes_to_show mnt/dir/app.yaml 'b: 4'
comes_to_equal_fresh
umount -l high
comes_to_show mnt/app.yaml 'a: 2'
comes_to_equal_fresh
stop
