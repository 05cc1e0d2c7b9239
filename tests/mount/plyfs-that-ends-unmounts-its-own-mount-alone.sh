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

# So does one that was mounted where the daemon's own mount was, whose open file keeps the daemon.
start low:high mnt
exec 5<mnt/app.yaml
umount -l mnt
mount --bind other mnt
kill "$plyfs_pid"
eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
exec 5<&-
shows mnt/app.yaml 'b: 1'
umount mnt

# So does one if the daemon gets no descriptor when it ends.
if command -v strace >/dev/null; then
	# LeakSanitizer does not work in a process that is traced.
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 start low:high mnt
	mount --bind other mnt
	strace -f -qq -o calls -e trace=pipe,pipe2 -e inject=pipe,pipe2:error=EMFILE -p "$plyfs_pid" &
	strace_pid=$!
	is_traced() { ! grep -q '^TracerPid:[[:space:]]*0$' "/proc/$plyfs_pid/status"; }
	eventually is_traced || fail "strace does not begin"
	kill "$plyfs_pid"
	eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
	wait "$strace_pid" || true
	shows mnt/app.yaml 'b: 1'
	umount mnt
	umount -l mnt 2>/dev/null || true
fi
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
