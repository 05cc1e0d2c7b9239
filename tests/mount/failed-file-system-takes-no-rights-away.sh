#!/bin/bash
. "$(dirname "$0")/mount.sh"
# While the file system of a layer fails or does not answer, every user who could read a file still can: nothing is known
# of its sources, so no right was taken away. A directory that is closed to plyfs is another matter.

need setpriv
need_root
chmod 755 .
mkdir -p real/dir real/part.yaml.d
: >control
"$MOUNT_TOOLS/faulty" real control high &
watcher_pid=$!
echo 'b: 0' | tee real/app.yaml real/own.yaml real/dir/app.yaml real/part.yaml.d/50.yaml >/dev/null
echo 'a: 0' | tee low/app.yaml low/part.yaml >/dev/null
eventually test -e high/app.yaml || skip "faulty can't mount here"
cat >plyfs.yaml <<'END'
layers: [low, {path: high, follow: true}]
options: {poll_interval: 50ms, answer_timeout: 1s, header: false}
rules: [{match: part.yaml, dropins: uapi}]
END
read_as_user() { setpriv --reuid 12345 --regid 12345 --clear-groups cat "$1"; }
user_reads_all() {
	[ "$(read_as_user mnt/own.yaml)" = 'b: 0' ] && [ "$(read_as_user mnt/dir/app.yaml)" = 'b: 0' ] &&
		[ "$(read_as_user mnt/app.yaml)" = "a: $1"$'\nb: 0' ] && read_as_user mnt/part.yaml | grep -qx 'b: 0'
} 2>errors
user_may_read() { read_as_user mnt/own.yaml >/dev/null 2>&1; }
is_in_trouble() { [ "$(status trouble_count)" != 0 ]; }
is_well() { [ "$(status trouble_count)" = 0 ]; }

start -c plyfs.yaml mnt
eventually user_reads_all 0 || fail "at first: $(cat errors)"
number=0
for fault in 'all 5' 'all 116' 'getattr 5' 'open 5' 'read 5' silence; do
	number=$((number + 1))
	if [ "$fault" = silence ]; then kill -STOP $watcher_pid; else echo "$fault" >control; fi
	eventually is_in_trouble || fail "$fault: the status names no trouble"
	# What is merged meanwhile has the rights of the sources that answer.
	echo "a: $number" >low/app.yaml
	eventually user_reads_all $number || fail "$fault: a user can't read all: $(ls -l mnt; cat errors)"
	sleep 0.3
	user_reads_all $number || fail "$fault: a user can't read all after a while: $(ls -l mnt; cat errors)"
	kill -CONT $watcher_pid
	: >control
	eventually is_well || fail "$fault: the trouble stays: $(cat mnt/.plyfs/status)"
	user_reads_all $number || fail "$fault: afterwards: $(ls -l mnt; cat errors)"
done

# The other side: the answer that plyfs may not look at the sources takes rights away.
echo 'all 13' >control
user_may_not_read() { ! user_may_read; }
eventually user_may_not_read || fail 'a user can still read what is closed to plyfs'
: >control
eventually user_may_read || fail 'a user can not read what is open again'
stop
