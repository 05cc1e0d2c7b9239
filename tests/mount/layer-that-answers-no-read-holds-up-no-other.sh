#!/bin/bash
# A layer lies on a file system that takes each READ and never answers. Its readers get an error, or the last good
# version; all other paths are as ever; when it answers again, the error goes; the mount ends at once, also when plyfs is
# killed.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

mkdir part
make_silent part half_FORGET
answers_no READ

echo 'a: 1' >low/app.yaml
echo 'a: 1' >low/beside.yaml
printf '%s\n' 'layers: [low, part, high]' 'options: {answer_timeout: 15s}' >plyfs.yaml
start -c plyfs.yaml mnt

# app.yaml has a source that can't be read.
cat mnt/app.yaml >got 2>&1 &
reader=$!
sleep 0.5
begin=$SECONDS
for i in 1 2 3 4 5; do
	echo "b: $i" | replace high/beside.yaml
	comes_to_show mnt/beside.yaml $'a: 1\nb: '$i
	echo "n: $i" >high/new$i.yaml
	comes_to_show mnt/new$i.yaml "n: $i"
done
[ $((SECONDS - begin)) -le 25 ] || fail "changes beside it took $((SECONDS - begin)) s"
wait $reader && fail "the file was read: $(cat got)"
eventually grep -q "app.yaml: can't be read: its file system has not answered for 30 s" mnt/.plyfs/errors ||
	fail "the error: $(cat mnt/.plyfs/errors)"

# The end waits for no worker that stands still.
begin=$SECONDS
unmount mnt
ended_cleanly
[ $((SECONDS - begin)) -le 20 ] || fail "the end took $((SECONDS - begin)) s"

# It has not answered for a while, and then it does.
printf '%s\n' 'layers: [low, part, high]' 'options: {answer_timeout: 3s}' >plyfs.yaml
start -c plyfs.yaml mnt
cat mnt/app.yaml >got 2>&1 && fail "the file was read: $(cat got)"
answers_no NONE
begin=$SECONDS
comes_to_show mnt/app.yaml $'a: 1\nhalf: 1'
[ $((SECONDS - begin)) -le 25 ] || fail "it was read $((SECONDS - begin)) s after the file system answered again"
comes_to_show mnt/.plyfs/errors ''
stop

answers_no READ
start low:part:high mnt
timeout 3 cat mnt/app.yaml >/dev/null 2>&1 || :
killed_mount_ends 20
