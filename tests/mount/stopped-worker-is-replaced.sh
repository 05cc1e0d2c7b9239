#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A worker that is stopped has its job done by another one. No file system is blamed.
printf 'options: {answer_timeout: 1s, header: false}\nlayers: [low]\n' >plyfs.yaml
echo 'a: 1' >low/app.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'
echo 'a: 2' >low/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
pkill -STOP -P "$plyfs_pid" -x plyfs-worker || fail "there is no worker"
echo 'a: 3' >low/app.yaml
comes_to_show mnt/app.yaml 'a: 3'
! grep -q 'file system has not answered' log || fail "it says: $(cat log)"
stop
