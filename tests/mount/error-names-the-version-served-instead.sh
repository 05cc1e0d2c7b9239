#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr python3
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
tells() { [[ $(attribute "$1" user.plyfs.error) == *"; $2)" ]]; }

# Never good: there is nothing to serve.
echo 'a: [' >low/never.yaml
echo 'b: 1' >high/never.yaml
start
fails_with 'Input/output error' cat mnt/never.yaml
tells mnt/never.yaml 'reading it fails until this is repaired' || fail "$(cat mnt/.plyfs/errors)"
[ "$(status troubles 0 serves)" = nothing ]
stop

# fail: there is an error also after it was good, and the log has it.
printf 'layers: [low, high]\noptions: {on_error: fail}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
echo 'b: [' | replace high/app.yaml
eventually tells mnt/app.yaml 'reading it fails until this is repaired' || fail "$(cat mnt/.plyfs/errors)"
grep -q 'app.yaml.*(app.yaml, since .*; reading it fails until this is repaired)' log
fails_with 'Input/output error' cat mnt/app.yaml
stop

# skip-layer: the other sources are merged without one that never was good, as if it did not exist.
printf 'layers: [low, high]\noptions: {on_error: skip-layer}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'
tells mnt/app.yaml 'the merge of the other layers is served' || fail "$(cat mnt/.plyfs/errors)"
[ "$(status troubles 0 serves)" = other-layers ]
echo 'b: 2' | replace high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
echo 'b: {' | replace high/app.yaml
keeps() { [[ $(attribute "$1" user.plyfs.error) == *'; its values of '*' ago stay, all others are the newest)' ]]; }
eventually keeps mnt/app.yaml || fail "$(cat mnt/.plyfs/errors)"
[ "$(status troubles 0 serves)" = last-good-source ]
shows mnt/app.yaml $'a: 1\nb: 2'
