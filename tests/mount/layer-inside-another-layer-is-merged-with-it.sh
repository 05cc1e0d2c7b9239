#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need inotifywait
mkdir -p low/host/dir low/dir
echo 'a: 1' | tee low/app.yaml low/dir/app.yaml >/dev/null
echo 'b: 1' | tee low/host/app.yaml low/host/dir/app.yaml >/dev/null
start low:low/host mnt
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/dir/app.yaml $'a: 1\nb: 1'
# And it is what it is as a directory of the lower one.
shows mnt/host/app.yaml 'b: 1'
shows mnt/host/dir/app.yaml 'b: 1'

# One file feeds two paths: both change, and each is told once.
watch mnt mnt/dir mnt/host mnt/host/dir
echo 'b: 2' | replace low/host/dir/app.yaml
comes_to_show mnt/dir/app.yaml $'a: 1\nb: 2'
comes_to_show mnt/host/dir/app.yaml 'b: 2'
echo 'c: 1' >low/host/new.yaml
comes_to_show mnt/new.yaml 'c: 1'
comes_to_show mnt/host/new.yaml 'c: 1'
unwatch
[ "$(sort events)" = "mnt/ MOVED_TO new.yaml
mnt/dir/ MOVED_TO app.yaml
mnt/host/ MOVED_TO new.yaml
mnt/host/dir/ MOVED_TO app.yaml" ] || fail "the events were: $(cat events)"
comes_to_equal_fresh low:low/host

# One of the two goes away, and then what only the inner one had.
rm -r low/dir
comes_to_show mnt/dir/app.yaml 'b: 2'
rm -r low/host/dir
comes_to_vanish mnt/dir
comes_to_vanish mnt/host/dir
comes_to_equal_fresh low:low/host
