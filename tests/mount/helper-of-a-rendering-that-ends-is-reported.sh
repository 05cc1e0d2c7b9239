#!/bin/bash
. "$(dirname "$0")/mount.sh"
# plyfs render -w reports that a helper has ended, also if it ends while a worker is waited for. A signal to the whole
# group, as from a service manager, ends no worker in the middle of a job.

need_root
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
printf 'layers: [low, high]\noptions: {header: false}\n' >plyfs.yaml
"$PLYFS" render -w -c plyfs.yaml out >rendering 2>&1 &
plyfs_pid=$!
comes_to_show out/app.yaml $'a: 1\nb: 1'
worker=$(pgrep -P "$plyfs_pid" -x plyfs-worker | head -n 1)
kill -TERM "$worker"
sleep 0.5
! has_ended "$worker" || fail "SIGTERM ends a worker"
pkill -STOP -P "$plyfs_pid" -x plyfs-worker
echo 'a: 2' >low/app.yaml
sleep 0.5
pkill -KILL -P "$plyfs_pid" -x plyfs-run
sleep 0.5
pkill -CONT -P "$plyfs_pid" -x plyfs-worker
comes_to_show out/app.yaml $'a: 2\nb: 1'
eventually grep -q 'plyfs-run has ended' rendering || fail "it says: $(cat rendering)"
kill "$plyfs_pid"
wait "$plyfs_pid" || true
plyfs_pid=
