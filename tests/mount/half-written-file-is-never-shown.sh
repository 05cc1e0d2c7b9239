#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/d high/d
start
"$MOUNT_TOOLS/stress" --in-place "${STRESS_SECONDS:-4}" low high mnt
