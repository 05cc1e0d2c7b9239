#!/bin/bash
. "$(dirname "$0")/mount.sh"
# The mount hides one of its layers, or its plyfs.yaml. After these were read again, nothing is left to do.

switches() { awk '/^voluntary/ { print $2 }' "/proc/$plyfs_pid/status"; }
is_at_rest() {
	local before
	before=$(switches)
	sleep 2
	[ $(($(switches) - before)) -lt 40 ]
}
# After the reload itself, and what it causes: that takes its time beside other work.
rests() {
	eventually is_at_rest || fail "$1: it does not rest"
}

echo 'a: 1' >low/app.yaml
echo 'b: 1' >mnt/app.yaml
printf 'options: {header: false}\nlayers: [low, mnt]\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
printf 'options: {header: false}\nlayers: [mnt, low]\n' >plyfs.yaml
comes_to_show mnt/app.yaml $'b: 1\na: 1'
rests "a layer beneath the mount"
stop

mkdir conf conf/low conf/high
echo 'b: 1' >conf/high/app.yaml
echo 'a: 1' >conf/low/app.yaml
printf 'options: {header: false}\nlayers: [low]\n' >conf/plyfs.yaml
exec 9<conf
start -c conf/plyfs.yaml conf
shows conf/app.yaml 'a: 1'
echo 'layers: [low, high]' >/proc/self/fd/9/plyfs.yaml
comes_to_show conf/app.yaml $'a: 1\nb: 1'
rests "plyfs.yaml beneath the mount"
exec 9<&-
