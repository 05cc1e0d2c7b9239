#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
start
shows mnt/app.yaml $'a: 1\nb: 1'
watch mnt mnt/app.yaml
rm high/app.yaml
comes_to_show mnt/app.yaml 'a: 1'
unwatch
[ "$(grep '^mnt/ ' events)" = 'mnt/ MOVED_TO app.yaml' ] || fail "the events were: $(cat events)"
[ "$(grep -c '^mnt/app.yaml DELETE_SELF' events)" -eq 1 ] || fail "the events were: $(cat events)"

# A source that joins is one, too.
watch mnt mnt/app.yaml
echo 'b: 2' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
unwatch
[ "$(grep '^mnt/ ' events)" = 'mnt/ MOVED_TO app.yaml' ] || fail "the events were: $(cat events)"
