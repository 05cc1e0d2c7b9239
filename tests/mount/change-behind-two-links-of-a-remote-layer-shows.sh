#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"
# A link in a layer on a FUSE file system leads to a local directory, which inotify watches; and a link or a hard link in
# that directory leads to a file elsewhere. A change of that file shows, whatever reports it.

need_root
chmod 755 .
mkdir real elsewhere target
: >control
"$MOUNT_TOOLS/faulty" real control high &
watcher_pid=$!
echo 'b: 0' | tee target/app.yaml target/hard.yaml >/dev/null
ln -s ../target/app.yaml elsewhere/app.yaml
ln target/hard.yaml elsewhere/hard.yaml
ln -s "$PWD/elsewhere" real/dir
eventually test -d high/dir || skip "faulty can't mount here"
printf 'layers: [low, {path: high, follow: true}]\noptions: {poll_interval: 50ms, header: false}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/dir/app.yaml 'b: 0'
shows mnt/dir/hard.yaml 'b: 0'
for number in 1 2 3; do
	sleep 0.2
	echo "b: $number" | tee target/app.yaml target/hard.yaml >/dev/null
	comes_to_show mnt/dir/app.yaml "b: $number"
	comes_to_show mnt/dir/hard.yaml "b: $number"
done
comes_to_equal_fresh -c plyfs.yaml
stop
