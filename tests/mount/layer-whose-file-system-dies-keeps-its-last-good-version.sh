#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need bindfs python3
mkdir real real/dir
echo 'a: 1' | tee real/app.yaml real/dir/app.yaml >/dev/null
echo 'b: 1' >high/app.yaml
printf 'layers: [low, high]\noptions: {poll_interval: 100ms}\n' >plyfs.yaml
attach() {
	bindfs -f -o attr_timeout=0,entry_timeout=0 real low &
	watcher_pid=$!
	eventually test -e low/app.yaml || skip "bindfs can't mount here"
}
attach
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/dir/app.yaml 'a: 1'

# It is dead, and every operation on it fails. Its files stay, and do not count as removed.
kill -9 "$watcher_pid"
wait "$watcher_pid" 2>/dev/null || true
watcher_pid=
sleep 0.5
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/dir/app.yaml 'a: 1'
echo 'b: 2' >high/app.yaml
told() { [[ $(status troubles) == *app.yaml* ]] || status settings error >/dev/null 2>&1; }
eventually told || fail "the status does not tell: $(cat mnt/.plyfs/status)"
comes_to_show mnt/app.yaml $'a: 1\nb: 2'

# It is mounted again by hand.
umount -l low 2>/dev/null || fusermount3 -uz low
echo 'a: 2' >real/app.yaml
attach
comes_to_show mnt/app.yaml $'a: 2\nb: 2'
echo 'a: 3' | tee real/app.yaml real/dir/app.yaml >/dev/null
comes_to_show mnt/app.yaml $'a: 3\nb: 2'
comes_to_show mnt/dir/app.yaml 'a: 3'
mended() { [ "$(status troubles)" = '[]' ] && ! status settings error >/dev/null 2>&1; }
eventually mended || fail "the trouble stays: $(cat mnt/.plyfs/status)"
comes_to_equal_fresh -c plyfs.yaml
stop
