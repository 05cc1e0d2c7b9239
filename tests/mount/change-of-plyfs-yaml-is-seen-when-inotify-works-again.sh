#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
limit_watches
instances=/proc/sys/user/max_inotify_instances
before=$(cat $instances)
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
echo 'layers: [low]' >plyfs.yaml
# One watch is for the layers, and none is left for plyfs.yaml.
echo 1 >$instances
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'
told() { [[ $(status settings error 2>/dev/null) == *max_user_instances* ]]; }
eventually told || fail "the status does not tell it: $(status settings)"
grep -q 'max_user_instances.*since' log || fail "the log does not tell it: $(cat log)"
echo 'a: 2' >low/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
echo 'layers: [low, high]' >plyfs.yaml
sleep 2.5
[ "$(grep -c max_user_instances log)" -eq 1 ] || fail "it is told again and again: $(cat log)"

echo "$before" >$instances
comes_to_show mnt/app.yaml $'a: 2\nb: 1'
mended() { ! status settings error >/dev/null 2>&1; }
eventually mended || fail "the trouble stays: $(status settings)"
# From now on plyfs.yaml is watched.
echo 'layers: [high]' >plyfs.yaml
comes_to_show mnt/app.yaml 'b: 1'
