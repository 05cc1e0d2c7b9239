#!/bin/bash
. "$(dirname "$0")/mount.sh"
# The daemon is notified of a mount while it has no descriptor to find out which mount it is.

need prlimit
need_root
printf 'a: 1\n' >low/app.yaml
start
shows mnt/app.yaml 'a: 1'
watch mnt
mkdir elsewhere
prlimit --pid "$plyfs_pid" --nofile=3:1024
mount --bind low elsewhere
umount elsewhere
sleep 0.5
prlimit --pid "$plyfs_pid" --nofile=1024:1024
saw_no_events
printf 'a: 2\n' | replace low/app.yaml
comes_event '^mnt/ MOVED_TO app.yaml$'
shows mnt/app.yaml 'a: 2'
stop
