#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Some moments pass between reading plyfs.yaml and watching it. It may be saved once more in between.
echo 'low: 1' >low/app.yaml
echo 'high: 1' >high/app.yaml
settings() { printf 'layers: [%s]\noptions: {header: false}\n' "$1" | replace plyfs.yaml; }
for ((i = 0; i < 30; i++)); do
	settings low
	{ sleep "0.$(printf '%02d' $((i % 15 * 2)))" && settings 'low, high'; } &
	saver=$!
	start -c plyfs.yaml mnt
	wait $saver
	comes_to_show mnt/app.yaml $'low: 1\nhigh: 1'
	# The change is still being published.
	eventually unmount mnt 2>/dev/null
	ended_cleanly
done
