#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# Another mount that lies over the daemon's own one stays when the daemon ends.
need python3
need_root
need_private
mkdir other layer
echo 'a: 1' >low/app.yaml
echo 'b: 1' >layer/app.yaml
start layer:high other
other_pid=$plyfs_pid
at_end "kill $other_pid 2>/dev/null; umount -l $directory/other 2>/dev/null || true"
start low:high mnt
mount --bind other mnt
kill "$plyfs_pid"
eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
shows other/app.yaml 'b: 1'
shows mnt/app.yaml 'b: 1'
umount mnt
umount -l mnt 2>/dev/null || true
plyfs_pid=$other_pid

# A line that nobody reads does not end the program that takes over.
mkdir -m 700 closed
mkdir -m 755 closed/low
echo 'a: 1' >closed/low/app.yaml
mkfifo said
head -n 1 said >first &
"$PLYFS" mount -f -o noheader closed/low:high mnt 2>said &
second=$!
at_end "kill $second 2>/dev/null; umount -l $directory/mnt 2>/dev/null || true"
eventually is_ready mnt
eventually test -s first
plyfs_pid=$second renewed
shows mnt/app.yaml 'a: 1'
umount mnt
stop other
