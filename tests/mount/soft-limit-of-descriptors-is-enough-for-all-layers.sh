#!/bin/bash
. "$(dirname "$0")/mount.sh"
# The caller may have a low soft limit, as shells do. For each of plyfs' processes the hard limit counts.

layers=()
for number in {1..64}; do
	mkdir "layer$number"
	echo "k$number: 1" >"layer$number/app.yaml"
	layers+=("layer$number")
done
list=$(IFS=,; echo "${layers[*]}")
settings() { printf 'layers: [%s]\noptions: {header: %s}\n' "$list" "$1"; }
settings false >plyfs.yaml
mount_options=
ulimit -Sn 128
start -c plyfs.yaml mnt
shows mnt/app.yaml "$(printf 'k%d: 1\n' {1..64})"
for header in true false true; do
	settings $header | replace plyfs.yaml
	is_so() { [ "$(head -c 1 mnt/app.yaml)" = "$([ $header = true ] && echo '#' || echo k)" ]; }
	eventually is_so || fail "the settings are not in force: $(head -3 mnt/app.yaml)"
done
[ "$(status troubles)" = '[]' ] || fail "there are troubles: $(status troubles)"
# In one step: a layer that is not there would be a reason to complain.
mkdir away
echo 'new: 1' >away/app.yaml
python3 -c '
import ctypes, sys
AT_FDCWD, RENAME_EXCHANGE = -100, 2
sys.exit(ctypes.CDLL(None).renameat2(AT_FDCWD, b"layer64", AT_FDCWD, b"away", RENAME_EXCHANGE) != 0)'
is_new() { grep -qx 'new: 1' mnt/app.yaml; }
eventually is_new || fail "the layer that was replaced is not read: $(cat mnt/app.yaml)"
stop
! grep -v 'is in force\|read again' log || fail 'it complains'
