#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
export PLYFS_PRESETS=$PWD/presets
mkdir presets
preset() { printf 'description: Lists\nrules: [{match: "*.yaml", options: {lists: %s}}]\n' "$1" | replace presets/lists.yaml; }
echo 'a: [1]' >low/app.yaml
echo 'a: [2]' >high/app.yaml
preset append

# Negative twin: the settings do not name the preset.
printf 'layers: [low, high]\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: [2]'
preset prepend
preset append
sleep 0.3
shows mnt/app.yaml 'a: [2]'

printf 'layers: [low, high]\npresets: [lists]\n' | replace plyfs.yaml
comes_to_show mnt/app.yaml 'a: [1, 2]'
preset prepend
comes_to_show mnt/app.yaml 'a: [2, 1]'

# A preset that can't be used changes nothing, and is reported.
echo 'rules: [' | replace presets/lists.yaml
told() { grep -q 'presets/lists.yaml:1:8: ' mnt/.plyfs/errors; }
eventually told || fail "$(cat mnt/.plyfs/errors)"
shows mnt/app.yaml 'a: [2, 1]'
preset unique
comes_to_show mnt/app.yaml 'a: [1, 2]'
