#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
[ -w /proc/sys/vm/drop_caches ] || skip "the kernel's caches can't be dropped here"
echo 'version: 00000000' >low/app.yaml
echo 'high: 1' >high/app.yaml
start
# The caches are dropped at any moment, also in the middle of a change.
while [ ! -e over ]; do
	echo 2 >/proc/sys/vm/drop_caches
	sleep 0.02
done &
dropper=$!
code=0
for way in '' --in-place; do
	# shellcheck disable=SC2086
	"$MOUNT_TOOLS/lockstep" --wait $way 2000 low/app.yaml mnt/app.yaml >counts 2>&1 || code=1
	[ "$(cat counts)" = '0 0' ] || code=1
	[ $code -eq 0 ] || break
done
touch over
wait $dropper
[ $code -eq 0 ] || fail "a reader of a file that is always there says: $(cat counts)"
