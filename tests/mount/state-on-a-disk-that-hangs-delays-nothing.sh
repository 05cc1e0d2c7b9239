#!/bin/bash
# The directory for last good versions lies on a file system that takes the request for a new file and never answers.
# Only the process plyfs-state waits for it: not even SIGKILL ends it.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

need pgrep
mkdir part
make_silent part half_CREATE
printf 'layers: [low, high]\noptions: {state: %s/part, header: false}\n' "$PWD" >plyfs.yaml
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
mount_options=
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
hangs() { [[ $(cat "/proc/$(pgrep -P "$plyfs_pid" -x plyfs-state)/wchan") == *request_wait_answer* ]]; }
eventually hangs || fail "plyfs-state does not wait for the file system"
for i in 2 3 4; do
	echo "a: $i" >low/app.yaml
	comes_to_show mnt/app.yaml "a: $i"$'\nb: 1'
done
echo 'a: [' >low/app.yaml
fault() { [[ $("$PLYFS" status mnt) == *app.yaml* ]]; }
eventually fault
shows mnt/app.yaml $'a: 4\nb: 1'
[ "$(status kept versions)" -eq 0 ] || fail "kept: $(status kept)"

begin=$SECONDS
unmount mnt
# On a busy machine a process may stand still for some seconds.
[ $((SECONDS - begin)) -le 6 ] || fail "the unmounting took $((SECONDS - begin)) s"
ended_cleanly
[ $((SECONDS - begin)) -le 25 ] || fail "the end took $((SECONDS - begin)) s"
