#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/d high/d
printf 'layers: [low, high]\noptions: {coherence: strict}\n' >plyfs.yaml
start -c plyfs.yaml mnt
"$MOUNT_TOOLS/stress" "${STRESS_SECONDS:-8}" low high mnt
