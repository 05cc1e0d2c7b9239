#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
printf 'a: 2\nb: 1\n' >high/app.yaml
start
shows mnt/app.yaml $'a: 2\nb: 1'
inode=$(stat -c %i mnt/app.yaml)
merged=$(status compositions)
watch mnt mnt/app.yaml

# Written again; changed where a higher layer overrides it; changed in a comment only.
printf 'a: 2\nb: 1\n' >high/app.yaml
printf 'a: 2\nb: 1\n' | replace high/app.yaml
echo 'a: 17' >low/app.yaml
looked_at() { [ "$(status compositions)" -gt "$merged" ]; }
eventually looked_at || fail "the changes are not looked at"
sleep 0.5
unwatch
saw_no_events
shows mnt/app.yaml $'a: 2\nb: 1'
[ "$(stat -c %i mnt/app.yaml)" = "$inode" ] || fail "the same bytes are another file"

# The twin: different bytes make an event.
watch mnt mnt/app.yaml
echo 'c: 17' >low/app.yaml
comes_event MOVED_TO
unwatch
