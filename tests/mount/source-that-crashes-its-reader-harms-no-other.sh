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

# For what needs seconds of a processor, on a busy machine.
patiently() {
	eventually "$@" || eventually "$@" || eventually "$@" || eventually "$@" || eventually "$@"
}

number=1
change_others() {
	number=$((number + 1))
	echo "b: $number" | replace high/other.yaml
	comes_to_show mnt/other.yaml $'a: 1\nb: '$number
	echo "c: $number" >low/new$number.yaml
	comes_to_show mnt/new$number.yaml "c: $number"
}

# mend NUMBER NAME...
mend() {
	local name number=$1
	shift
	for name; do
		echo "b: $number" | replace high/$name.yaml
		comes_to_show mnt/$name.yaml $'a: 1\nb: '$number
	done
}

# They keep six processes busy. An error of a file system comes after 10 s: a busy machine takes that long by itself, and
# then it is tried again.
daemon=$plyfs_pid
no_other_waits() {
	local began=$SECONDS
	for name in "${faults[@]}"; do
		echo "b: fault-${name%[0-9]}" | replace high/$name.yaml
	done
	change_others
	grep -q stop mnt/.plyfs/errors || return 0
	[ $((SECONDS - began)) -ge 10 ] || fail "a file system was given up too early: $(cat mnt/.plyfs/errors)"
	mend 1 "${faults[@]}"
	return 1
}
tries=1
until no_other_waits; do
	tries=$((tries + 1))
	[ $tries -lt 8 ] || fail "another path has waited for a file system"
done
for _ in 1 2 3 4; do
	change_others
done
# The kernel may forget the files while they are being read.
[ "$(id -u)" -ne 0 ] || forget_names
eventually has_error crash 'the process that read it crashed (SIGSEGV); undo its last change' ||
	fail "the crash: $(cat mnt/.plyfs/errors)"
patiently has_error loop 'the process that read it took more than 5 s of a processor; undo its last change' ||
	fail "the loop: $(cat mnt/.plyfs/errors)"
patiently has_error stop "can't be read: its file system has not answered for 10 s" ||
	fail "the stop: $(cat mnt/.plyfs/errors)"
patiently has_error memory "can't be read with 2048 MiB of memory; make it smaller" ||
	fail "the memory: $(cat mnt/.plyfs/errors)"
for name in "${faults[@]}"; do
	shows mnt/$name.yaml $'a: 1\nb: 1'
done
kill -0 "$daemon" || fail "the daemon has ended"

# The explanation of a file reads its sources, too.
cat mnt/.plyfs/origins/crash.yaml >explained || fail "the explanation can't be read"
grep -q '"file": "crash.yaml".*the process that merged it crashed' explained || fail "the explanation: $(cat explained)"

# The settings are read again, and so is each file that failed, but not for ever. Those that wait would be asked again
# after 30 s.
mend 1 stop stop1 stop2
failed=$(status workers failed)
for i in 1 2 3 4 5 6; do
	sed -i "s/time: .*ms/time: $((500 + i))ms/" plyfs.yaml
	echo "d: $i" >low/seen$i.yaml
	comes_to_show mnt/seen$i.yaml "d: $i"
	shows mnt/crash.yaml $'a: 1\nb: 1'
done
# The failures, and the time that each worker has used.
work() {
	local worker
	status workers failed
	for worker in $(pgrep -P "$daemon" plyfs-worker); do
		awk '{ print $1, $14 + $15 }' "/proc/$worker/stat" 2>/dev/null
	done
}
is_at_rest() {
	local before
	before=$(work)
	sleep 4
	[ "$(work)" = "$before" ]
}
patiently is_at_rest || fail "it is read again and again: $(work)"
failed_now=$(status workers failed)
# Three for each of three at most, after each change of the settings.
[ $((failed_now - failed)) -le 54 ] || fail "it was read again and again: $failed, $failed_now"

# Mended, they are as any others.
mend 2 "${faults[@]}"
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
