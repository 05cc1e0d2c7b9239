#!/bin/bash
. "$(dirname "$0")/mount.sh"

fails_with "the layer directory '$PWD/nowhere' does not exist" "$PLYFS" mount -f low:nowhere mnt
fails_with "the layer directory '$PWD/nowhere' does not exist" "$PLYFS" mount low:nowhere mnt
echo text >plain
fails_with 'is not a directory' "$PLYFS" mount -f low:plain mnt
! is_mounted mnt || fail "it is mounted all the same"

cat >plyfs.yaml <<-END
	layers:
	  - low
	  - {path: nowhere, optional: true}
END
echo text >low/motd
start -c plyfs.yaml mnt
shows mnt/motd text
stop

sed -i 's/true/false/' plyfs.yaml
fails_with 'plyfs.yaml:3:' "$PLYFS" mount -f -c plyfs.yaml mnt
! is_mounted mnt || fail "it is mounted all the same"
