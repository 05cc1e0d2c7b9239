#!/bin/bash
. "$(dirname "$0")/mount.sh"

# If two mounts were a layer of each other, a lookup in one would ask the other for the same path, and wait for itself.
mkdir a b c low/sub
echo 'a: 1' | tee low/app.yaml >low/sub/app.yaml
ln -s b link
at_end "umount -l '$directory/a' '$directory/b' '$directory/c' 2>/dev/null"
timeout 100 "$PLYFS" mount low:link a
fails_with "a: this layer is a mount that has" timeout 100 "$PLYFS" mount low:a b
fails_with "'$directory/b' as a layer" timeout 100 "$PLYFS" mount -f low:a b
! mountpoint -q b || fail 'it is mounted all the same'

# So would three in a circle.
timeout 100 "$PLYFS" mount low:a c
fails_with "c: this layer is a mount that has" timeout 100 "$PLYFS" mount low:c b
timeout 100 "$PLYFS" umount c

# The twins: a mount over its own layer, and two mounts with layers inside each other, whose paths differ.
timeout 100 "$PLYFS" mount b:low b
timeout 100 "$PLYFS" umount b
timeout 100 "$PLYFS" umount a
mkdir b/sub
timeout 100 "$PLYFS" mount low:b/sub a
timeout 100 "$PLYFS" mount low:a/sub b
for file in a/app.yaml b/app.yaml a/sub/app.yaml b/sub/app.yaml; do
	timeout 60 grep -q 'a: 1' $file || fail "$file can't be read"
done
timeout 60 find a b >/dev/null || fail 'the mounts can not be listed'
