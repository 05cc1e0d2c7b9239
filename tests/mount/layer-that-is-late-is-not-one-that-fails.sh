#!/bin/bash
. "$(dirname "$0")/mount.sh"
# A layer's file system takes 0.8 s for an answer: all answers, or those about one name. The publisher does not wait that
# long. But the layer has failed only after answer_timeout, so nothing that is shown changes, and there is no error. As
# the negative twin, it takes longer than that.

need_root
chmod 755 .
mkdir -p real/app.yaml.d real/dir low/dir
: >control
"$MOUNT_TOOLS/faulty" real control high &
watcher_pid=$!
echo 'a: 1' | tee low/app.yaml low/plain.yaml >/dev/null
echo 'b: 1' | tee real/app.yaml.d/b.yaml real/plain.yaml real/slow.yaml >/dev/null
ln -s low low/link
ln -s high real/link
# The directory of the upper layer is opaque, and the lower one has other rights.
echo 'h: 1' | tee low/dir/hidden.yaml >real/dir/dir.yaml
touch real/dir/.wh..wh..opq
chmod 700 low/dir
eventually test -f high/plain.yaml || skip "faulty can't mount here"
cat >plyfs.yaml <<'END'
layers: [low, high]
rules: [{match: app.yaml, dropins: true}]
options: {poll_interval: 50ms, answer_timeout: 20s, header: false, on_error: fail}
END
show_all() {
	shows mnt/app.yaml "a: 1"$'\n'"b: $1"
	shows mnt/plain.yaml $'a: 1\nb: 1'
	[ "$(readlink mnt/link)" = high ] || fail "another layer's link"
	[ "$(ls mnt/dir)" = dir.yaml ] || fail "what is hidden appears"
	shows mnt/.plyfs/errors ''
}

start -c plyfs.yaml mnt
show_all 1
for _ in 1 2 3; do
	kill -STOP "$watcher_pid"
	sleep 0.8
	show_all 1
	kill -CONT "$watcher_pid"
	sleep 0.1
	show_all 1
done
for name in plain.yaml .wh.plain.yaml app.yaml.d .wh.app.yaml.d b.yaml .wh.b.yaml link .wh..wh..opq; do
	echo "slow 800 $name" >control
	sleep 1.5
	show_all 1
done

# A change in such a layer shows all the same.
echo 'slow 800 slow.yaml' >control
sleep 1
echo 'b: 2' >real/slow.yaml
comes_to_show mnt/slow.yaml 'b: 2'
: >control
echo 'b: 2' >real/app.yaml.d/b.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
show_all 2

is_reported() { grep -q 'app.yaml.*does not answer' mnt/.plyfs/errors; }
kill -STOP "$watcher_pid"
eventually is_reported || fail "no error: $(cat mnt/.plyfs/errors)"
kill -CONT "$watcher_pid"
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
stop
