#!/bin/bash
. "$(dirname "$0")/mount.sh"

fails_with "the layer directory '$PWD/nowhere' does not exist" "$PLYFS" mount -f low:nowhere mnt
echo text >plain
fails_with 'is not a directory' "$PLYFS" mount -f low:plain mnt
# In the background it is the same; and so is a mountpoint that is missing.
for mode in -f ''; do
	for what in low:nowhere,mnt low:high,nowhere low:high,plain; do
		code=0
		# shellcheck disable=SC2086
		"$PLYFS" mount $mode ${what/,/ } 2>errors || code=$?
		[ $code -eq 1 ] && [ "$(wc -l <errors)" -eq 1 ] && grep -q 'nowhere\|plain' errors || fail "$mode $what: $code, $(cat errors)"
	done
done
[ ! -e nowhere ] || fail "it was made"
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
