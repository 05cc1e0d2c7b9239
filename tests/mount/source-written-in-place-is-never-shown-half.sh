#!/bin/bash
. "$(dirname "$0")/mount.sh"

# The source is truncated and written again and again, as fast as it is read: no pause helps. On a busy machine the
# daemon may not run meanwhile: then no change comes through, and it is tried again.
echo 'high: 1' >high/app.yaml
echo 'version: 00000000' >low/app.yaml
start
change_comes_through() {
	"$MOUNT_TOOLS/lockstep" --in-place 1500 low/app.yaml mnt/app.yaml >counts || fail "lockstep fails"
	read -r stale torn <counts
	[ "$torn" -eq 0 ] || fail "$torn reads of 1500 saw a half"
	[ "$stale" -lt 1500 ]
}
eventually change_comes_through || fail "no change came through"
