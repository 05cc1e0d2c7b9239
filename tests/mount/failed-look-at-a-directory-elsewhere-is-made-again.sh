#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"
# A link in a layer leads to a directory on another file system, whose changes inotify reports. If the layer's own file
# system fails while such a change is looked at, the look is made again when it is well, though no event says so.

need_root
chmod 755 .
mkdir real elsewhere
: >control
"$MOUNT_TOOLS/faulty" real control high &
watcher_pid=$!
echo 'b: 0' >elsewhere/app.yaml
ln -s "$PWD/elsewhere" real/dir
eventually test -d high/dir || skip "faulty can't mount here"
cat >plyfs.yaml <<'END'
layers: [low, {path: high, follow: true}]
options: {poll_interval: 50ms, header: false}
END
start -c plyfs.yaml mnt
shows mnt/dir/app.yaml 'b: 0'
number=0
for operation in readlink getattr all; do
	for error in 5 13 116; do # EIO, EACCES, ESTALE
		number=$((number + 1))
		echo "$operation $error" >control
		sleep 0.1
		echo "b: $number" >elsewhere/app.yaml
		sleep 0.2
		: >control
		comes_to_show mnt/dir/app.yaml "b: $number"
		is_open() { [ "$(stat -c %a mnt/dir/app.yaml)" = 444 ]; }
		eventually is_open || fail "$operation $error: $(ls -l mnt/dir)"
	done
done
comes_to_equal_fresh -c plyfs.yaml
stop
