#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Each change comes while the one before is being read, or its watches set, at another moment of that.
mkdir more {low,high,more}/{1..300}
echo 'low: 1' >low/app.yaml
echo 'high: 1' >high/app.yaml
echo 'more: 1' >more/app.yaml
settings() { printf 'layers: [%s]\noptions: {header: false}\n' "$1" | replace plyfs.yaml; }
settings low
start -c plyfs.yaml mnt
shows mnt/app.yaml 'low: 1'
ls -R mnt >/dev/null
for ((i = 0; i < 40; i++)); do
	settings 'low, more'
	sleep 0.0$((i + 15))
	settings 'low, high'
	comes_to_show mnt/app.yaml $'low: 1\nhigh: 1'
	settings low
	comes_to_show mnt/app.yaml 'low: 1'
done

# After the last change the daemon comes to rest, which takes its time beside other work.
ticks() { awk '{ print $14 + $15 }' "/proc/$plyfs_pid/stat"; }
rests() {
	local before
	before=$(ticks)
	sleep 1
	[ $(($(ticks) - before)) -lt 20 ]
}
eventually rests || fail 'it reads its settings without end'
