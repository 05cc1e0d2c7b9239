#!/bin/bash
. "$(dirname "$0")/mount.sh"

# The source is truncated and written again and again, as fast as it is read: no pause helps.
echo 'high: 1' >high/app.yaml
echo 'version: 00000000' >low/app.yaml
start
"$MOUNT_TOOLS/lockstep" --in-place 1500 low/app.yaml mnt/app.yaml >counts
read -r stale torn <counts
[ "$torn" -eq 0 ] || fail "$torn reads of 1500 saw a half"
[ "$stale" -lt 1500 ] || fail "no change came through"
