#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need python3 inotifywait
limit=$(cat /proc/sys/fs/inotify/max_queued_events)
[ "$limit" -le 50000 ] || skip "fs.inotify.max_queued_events is $limit: that is slow to overflow"

mkdir low/dir high/dir low/gone
for i in $(seq 30); do
	echo "a: $i" >low/dir/$i.yaml
	echo "b: $i" >high/dir/$i.yaml
done
echo text >low/gone/motd
for i in $(seq 10); do echo "a: $i" >low/dir/unread-$i.yaml; done
start
# For some files the kernel knows only the names.
ls mnt/dir >/dev/null
cat mnt/dir/[0-9]* mnt/gone/motd >/dev/null
[ "$(status overflows)" -eq 0 ]
watch mnt mnt/dir

# The daemon sleeps, and meanwhile more happens than the kernel queues for it.
kill -STOP "$plyfs_pid"
python3 - "$limit" <<'END'
import os, sys
for number in range(int(sys.argv[1]) // 2 + 1000):
    path = f"low/dir/noise{number % 2}.yaml"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
    os.unlink(path)
END
echo 'a: new' | replace low/dir/7.yaml
echo 'b: new' >high/dir/8.yaml
rm low/dir/9.yaml high/dir/9.yaml high/dir/10.yaml
echo 'c: 1' >high/dir/new.yaml
mkdir high/made
echo 'd: 1' >high/made/x.yaml
rm -r low/gone
chmod 700 high/dir
kill -CONT "$plyfs_pid"

comes_to_show mnt/dir/8.yaml $'a: 8\nb: new'
comes_to_equal_fresh
[ "$(status overflows)" -ge 1 ] || fail "nothing was lost: this proves nothing"
# Each change makes one event, and an unchanged file makes none. A reader may see a name come or go before its event.
cat >wanted <<-END
	mnt/ CREATE,ISDIR made
	mnt/ DELETE,ISDIR gone
	mnt/dir/ DELETE 9.yaml
	mnt/dir/ MOVED_TO 10.yaml
	mnt/dir/ MOVED_TO 7.yaml
	mnt/dir/ MOVED_TO 8.yaml
	mnt/dir/ MOVED_TO new.yaml
END
are_wanted() { grep -v ATTRIB events | sort | diff wanted - >difference; }
eventually are_wanted || fail "the events differ: $(cat difference)"
unwatch
are_wanted || fail "the events differ: $(cat difference)"

# And the daemon goes on.
echo 'd: 2' >high/made/x.yaml
comes_to_show mnt/made/x.yaml 'd: 2'
