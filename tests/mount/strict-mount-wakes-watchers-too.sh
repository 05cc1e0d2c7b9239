#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 0' >low/app.yaml
printf 'layers: [low, high]\noptions: {coherence: strict}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 0'
watch mnt mnt/app.yaml
echo 'a: 1' | replace low/app.yaml
# A reader that reads at once sees the change before any event, and watchers get the event all the same.
shows mnt/app.yaml 'a: 1'
comes_event 'MOVED_TO app.yaml'
unwatch
[ "$(grep '^mnt/ ' events)" = 'mnt/ MOVED_TO app.yaml' ] || fail "the events were: $(cat events)"
[ "$(grep -c '^mnt/app.yaml DELETE_SELF' events)" -eq 1 ] || fail "the events were: $(cat events)"
