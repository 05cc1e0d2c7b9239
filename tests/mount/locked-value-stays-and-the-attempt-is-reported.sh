#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr python3
echo 'port: 80' >low/app.yaml
echo 'name: x' >high/app.yaml
tells() { [[ $(attribute mnt/app.yaml user.plyfs.error) == *"$1"* ]]; }
tells_nothing() { ! attribute mnt/app.yaml user.plyfs.error &>/dev/null; }

# Negative twin: without a lock the higher layer's value counts, and nothing is reported.
printf 'layers: [low, high]\n' >plyfs.yaml
start -c plyfs.yaml mnt
printf 'name: x\nport: 1\n' | replace high/app.yaml
comes_to_show mnt/app.yaml $'port: 1\nname: x'
tells_nothing || fail "$(cat mnt/.plyfs/errors)"

# The lock comes into force with plyfs.yaml.
printf 'layers: [low, high]\nrules: [{match: app.yaml, lock: {low: port}}]\n' | replace plyfs.yaml
comes_to_show mnt/app.yaml $'port: 80\nname: x'
eventually tells 'values with a lock or bound stay, all others are the newest' || fail "$(cat mnt/.plyfs/errors)"
[ "$(status troubles 0 serves)" = locked-values ]
grep -q "high/app.yaml:2:7: 'port' is not changed: the layer 'low' locks it as .*low/app.yaml:1:7 has it" mnt/.plyfs/errors
grep -q "high/app.yaml:2:7: 'port' is not changed" log
"$PLYFS" status mnt >out || true
grep -q "'port' is not changed" out || fail "$(cat out)"

# All else goes on changing, and so does the locked value in its own layer.
printf 'name: y\nport: 2\n' | replace high/app.yaml
comes_to_show mnt/app.yaml $'port: 80\nname: y'
echo 'port: 81' | replace low/app.yaml
comes_to_show mnt/app.yaml $'port: 81\nname: y'

# The attempt is removed, and the error ends.
echo 'name: z' | replace high/app.yaml
comes_to_show mnt/app.yaml $'port: 81\nname: z'
eventually tells_nothing || fail "$(cat mnt/.plyfs/errors)"

# A pillar's file in a higher layer that comes first does not hide the locked value of the file that comes second.
mkdir -p low/data/sub high/data
echo '_merge: [x]' >low/pillar.yaml
echo 'port: 80' >low/data/sub/x.yaml
echo 'layers: [low, high]
rules: [{match: pillar.yaml, strategy: pillar, options: {data_path: data}, lock: {low: port}}]' | replace plyfs.yaml
comes_to_show mnt/pillar.yaml 'port: 80'
printf 'port: 81\nname: x\n' | replace high/data/x.yaml
comes_to_show mnt/pillar.yaml $'port: 80\nname: x'
grep -q "high/data/x.yaml:1:7: 'port' is not changed" mnt/.plyfs/errors || fail "$(cat mnt/.plyfs/errors)"
echo 'port: 82' | replace low/data/sub/x.yaml
comes_to_show mnt/pillar.yaml $'port: 82\nname: x'
rm high/data/x.yaml
comes_to_show mnt/pillar.yaml 'port: 82'
