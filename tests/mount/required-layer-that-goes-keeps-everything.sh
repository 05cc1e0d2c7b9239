#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need_private

echo 'a: 1' >low/app.yaml
mkdir kept
mount -t tmpfs tmpfs kept
echo 'a: 2' >kept/app.yaml
echo 'b: 1' >kept/only.yaml
layers() { printf 'layers: [low, {path: high, %s}]\noptions: {header: false}\n' "$1" >plyfs.yaml; }
reports() { "$PLYFS" status mnt 2>&1 | grep -q "$1"; }

# From the start nothing is shown without it: its file system is not mounted yet.
layers 'required: true'
empty="of a required layer is empty; mount its file system"
fails_with 'plyfs.yaml:1:22' "$PLYFS" mount -f -c plyfs.yaml mnt
fails_with "$empty" "$PLYFS" mount -c plyfs.yaml mnt
fails_with "$empty" "$PLYFS" check -c plyfs.yaml
fails_with "$empty" "$PLYFS" cat -c plyfs.yaml app.yaml
fails_with "$empty" "$PLYFS" render -c plyfs.yaml out
[ ! -e out/app.yaml ] || fail 'it was rendered'
! is_mounted mnt || fail 'it is mounted all the same'

# It goes while it is mounted: everything stays, and the status says why.
mount --bind kept high
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 2'
umount --lazy high
eventually reports "of a required layer is empty" || fail "$("$PLYFS" status mnt)"
shows mnt/app.yaml 'a: 2'
shows mnt/only.yaml 'b: 1'
echo 'c: 1' >low/other.yaml
touch plyfs.yaml
sleep 1
shows mnt/app.yaml 'a: 2'
shows mnt/only.yaml 'b: 1'

# It is back.
echo 'a: 3' >kept/app.yaml
mount --bind kept high
comes_to_show mnt/app.yaml 'a: 3'
is_quiet() { ! reports "required layer"; }
eventually is_quiet || fail "$("$PLYFS" status mnt)"

# So it is if its files come into the directory itself.
umount --lazy high
eventually reports "of a required layer is empty" || fail "$("$PLYFS" status mnt)"
echo 'a: 4' >high/app.yaml
comes_to_show mnt/app.yaml 'a: 4'
rm high/app.yaml
stop

# The twin: another layer that is empty is shown as it is.
layers 'required: false'
mount --bind kept high
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 3'
umount --lazy high
comes_to_show mnt/app.yaml 'a: 1'
