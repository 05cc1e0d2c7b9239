#!/bin/bash
# A source that crashes its parser, keeps it busy for ever, takes all memory, or never comes to its end: its path keeps
# its last good version, with an error that says why, and no other path notices. After three failures it is not read
# again until it changes.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/marked.sh"

faults=(crash loop memory stop stop1 stop2)
cat >plyfs.yaml <<YAML
layers: [low, high]
options: {header: false, limits: {time: 500ms}}
YAML
for name in "${faults[@]}" other; do
	echo "a: 1" >low/$name.yaml
	echo "b: 1" >high/$name.yaml
done
LD_PRELOAD=$MARKED_LIBRARY start plyfs.yaml mnt
for name in "${faults[@]}" other; do
	shows mnt/$name.yaml $'a: 1\nb: 1'
done

has_error() {
	grep -q "^.*high/$1.yaml: $2" mnt/.plyfs/errors
}

daemon=$plyfs_pid
for name in "${faults[@]}"; do
	echo "b: fault-${name%[0-9]}" | replace high/$name.yaml
done
# Meanwhile they keep six processes busy.
for i in 2 3 4 5 6; do
	echo "b: $i" | replace high/other.yaml
	comes_to_show mnt/other.yaml $'a: 1\nb: '$i
	echo "c: $i" >low/new$i.yaml
	comes_to_show mnt/new$i.yaml "c: $i"
	[ $i -gt 2 ] || ! grep -q stop mnt/.plyfs/errors || fail "another path has waited for a file system"
done
# The kernel may forget the files while they are being read.
[ "$(id -u)" -ne 0 ] || forget_names
eventually has_error crash 'the process that read it crashed (SIGSEGV); undo its last change' ||
	fail "the crash: $(cat mnt/.plyfs/errors)"
eventually has_error loop 'the process that read it took more than 5 s of a processor; undo its last change' ||
	fail "the loop: $(cat mnt/.plyfs/errors)"
eventually has_error stop "can't be read: its file system has not answered for 10 s" ||
	fail "the stop: $(cat mnt/.plyfs/errors)"
eventually has_error memory "can't be read with 2048 MiB of memory; make it smaller" ||
	fail "the memory: $(cat mnt/.plyfs/errors)"
for name in "${faults[@]}"; do
	shows mnt/$name.yaml $'a: 1\nb: 1'
done
kill -0 "$daemon" || fail "the daemon has ended"

# The explanation of a file reads its sources, too.
cat mnt/.plyfs/origins/crash.yaml >explained || fail "the explanation can't be read"
grep -q '"file": "crash.yaml".*the process that merged it crashed' explained || fail "the explanation: $(cat explained)"

# The settings are read again, and so is each file that failed, but not for ever.
failed=$(status workers failed)
for i in 1 2 3 4 5 6; do
	sed -i "s/time: .*ms/time: $((500 + i))ms/" plyfs.yaml
	echo "d: $i" >low/seen$i.yaml
	comes_to_show mnt/seen$i.yaml "d: $i"
	shows mnt/crash.yaml $'a: 1\nb: 1'
done
sleep 1
failed_now=$(status workers failed)
# Three for each of three at most, of which one each was before; those that wait are asked again after 30 s.
[ $((failed_now - failed)) -le 11 ] || fail "it was read again and again: $failed, $failed_now"

# Mended, they are as any others.
for name in "${faults[@]}"; do
	echo "b: 2" | replace high/$name.yaml
	comes_to_show mnt/$name.yaml $'a: 1\nb: 2'
done
eventually [ ! -s mnt/.plyfs/errors ] || fail "errors remain: $(cat mnt/.plyfs/errors)"

# Those that wait for ever, too, end with the mount.
workers=$(pgrep -P "$daemon" plyfs-worker)
stop
have_ended() {
	local pid
	for pid in $workers; do
		has_ended "$pid" || return 1
	done
}
eventually have_ended || fail "workers remain"

# They end with a daemon that is killed, too.
LD_PRELOAD=$MARKED_LIBRARY start plyfs.yaml mnt
shows mnt/stop.yaml $'a: 1\nb: 2'
echo 'b: fault-stop' | replace high/stop.yaml
echo 'b: 3' | replace high/other.yaml
comes_to_show mnt/other.yaml $'a: 1\nb: 3'
workers=$(pgrep -P "$plyfs_pid" plyfs-worker)
kill -KILL "$plyfs_pid"
wait "$plyfs_pid" || true
plyfs_pid=
eventually have_ended || fail "workers outlive a daemon that is killed"
umount mnt || fail "the mount can't be cleared"
