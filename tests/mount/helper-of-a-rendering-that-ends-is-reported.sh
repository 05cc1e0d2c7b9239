#!/bin/bash
. "$(dirname "$0")/mount.sh"
# plyfs render -w reports that a guard was killed, also if that was while a worker is waited for. A signal to the whole
# group, as from a service manager, ends no worker in the middle of a job.

need_root
need pgrep
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
touch go
chmod 711 .
echo 1 >low/a.slow
cat >plyfs.yaml <<YAML
layers: [low, high]
options: {header: false}
rules: [{match: '*.slow', check: [sh, -c, 'until [ -e $PWD/go ]; do sleep 0.05; done', sh, '%f']}]
YAML
"$PLYFS" render -w -c plyfs.yaml out >rendering 2>&1 &
plyfs_pid=$!
comes_to_show out/app.yaml $'a: 1\nb: 1'
comes_to_show out/a.slow 1
worker=$(pgrep -P "$plyfs_pid" -x plyfs-worker | head -n 1)
kill -TERM "$worker"
sleep 0.5
! has_ended "$worker" || fail "SIGTERM ends a worker"
rm go
echo 2 >low/a.slow
eventually pgrep -P "$plyfs_pid" -x plyfs-guard >/dev/null
pkill -STOP -P "$plyfs_pid" -x plyfs-worker
echo 'a: 2' >low/app.yaml
sleep 0.5
pkill -KILL -P "$plyfs_pid" -x plyfs-guard
touch go
sleep 0.5
pkill -CONT -P "$plyfs_pid" -x plyfs-worker
comes_to_show out/app.yaml $'a: 2\nb: 1'
eventually grep -q 'plyfs-guard was killed' rendering || fail "it says: $(cat rendering)"
comes_to_show out/a.slow 2
kill "$plyfs_pid"
wait "$plyfs_pid" || true
plyfs_pid=
