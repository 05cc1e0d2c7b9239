#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need bindfs python3
mkdir real
mkdir real/dir
echo 'a: 1' | tee real/app.yaml real/dir/app.yaml >/dev/null
echo 'b: 1' >high/app.yaml
head -c 6000000 /dev/urandom >real/large.bin
bindfs -o attr_timeout=0,entry_timeout=0 real low || skip "bindfs can't mount here"
printf 'layers: [low, high]\noptions: {poll_interval: 100ms}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/dir/app.yaml 'a: 1'
cmp real/large.bin mnt/large.bin || fail "a large file of one layer can't be read"
[ "$(status polling interval_ms)" -eq 100 ]
[[ $(status polling reason) == *FUSE* ]] || fail "the status says: $(status polling)"
"$PLYFS" status mnt | grep -q 'FUSE' || fail "plyfs status does not tell that it polls"

# Changes without events: in a file, by rename, and of directories.
echo 'a: 22' >real/app.yaml
comes_to_show mnt/app.yaml $'a: 22\nb: 1'
echo 'a: 3' | replace real/dir/app.yaml
comes_to_show mnt/dir/app.yaml 'a: 3'
mkdir -p real/new/sub
echo 'n: 1' >real/new/sub/app.yaml
comes_to_show mnt/new/sub/app.yaml 'n: 1'
rm -r real/dir
comes_to_vanish mnt/dir
comes_to_list mnt app.yaml large.bin new
# The other layer is watched, and its changes are no slower.
echo 'b: 2' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 22\nb: 2'

# A poll that finds a change wakes watchers, once; and nothing else does.
watch mnt mnt/app.yaml
sleep 0.5
[ ! -s events ] || fail "there are events, and nothing has changed: $(cat events)"
echo 'a: 4' | replace real/app.yaml # one change, even if a poll comes in the middle
comes_event 'MOVED_TO app.yaml'
unwatch
[ "$(grep -c MOVED_TO events)" -eq 1 ] || fail "the events were: $(cat events)"
comes_to_equal_fresh -c plyfs.yaml
stop
eventually umount low || fail "the layer is busy after the end"

# The twin: the very same without the FUSE file system is not polled.
rmdir low
mv real low
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 4\nb: 2'
if status polling reason >/dev/null 2>&1; then
	fail "it polls a local disk"
fi
