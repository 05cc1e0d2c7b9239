#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/d high/d
start
"$MOUNT_TOOLS/stress" "${STRESS_SECONDS:-8}" low high mnt
