#!/bin/bash
. "$(dirname "$0")/mount.sh"
# Directories are made in a layer whose file system is slow, or fails, when `plyfs render --watch` first lists them.
# Their files are written all the same; each failure is reported once.

need_root
mkdir real tree
: >control
"$MOUNT_TOOLS/faulty" real control high &
watcher_pid=$!
echo 'a: 1' >low/a.yaml
eventually test -d high || skip "faulty can't mount here"
cat >plyfs.yaml <<'END'
layers: [low, high]
options: {poll_interval: 50ms, answer_timeout: 10s, header: false}
END
env --default-signal=TERM "$PLYFS" render --watch -c plyfs.yaml tree >log 2>&1 &
plyfs_pid=$!
comes_to_show tree/a.yaml 'a: 1'

# make NAME CONTROL: makes a directory while the file system behaves so.
make() {
	echo "$2" >control
	mkdir new
	echo 'b: 1' >new/b.yaml
	mv new "real/$1"
}

make slow 'slow 800 b.yaml'
comes_to_show tree/slow/b.yaml 'b: 1'
make late 'slow 800 late'
comes_to_show tree/late/b.yaml 'b: 1'
make broken 'readdir 5 broken'
eventually grep -q '^plyfs: broken: Input/output error' log || fail "nothing is said of it: $(cat log)"
sleep 2
[ "$(grep -c '^plyfs: broken: ' log)" = 1 ] || fail "it is reported again and again: $(cat log)"
: >control
comes_to_show tree/broken/b.yaml 'b: 1'
[ "$(ls real)" = "$(ls tree | grep -v a.yaml)" ]
