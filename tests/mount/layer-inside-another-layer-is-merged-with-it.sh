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
# And it also shows as a directory of the lower layer.
shows mnt/host/app.yaml 'b: 1'
shows mnt/host/dir/app.yaml 'b: 1'

# One file feeds two paths: both change, each with one event.
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

# One of the two goes away, and then the file that only the inner layer had.
rm -r low/dir
comes_to_show mnt/dir/app.yaml 'b: 2'
rm -r low/host/dir
comes_to_vanish mnt/dir
comes_to_vanish mnt/host/dir
comes_to_equal_fresh low:low/host
