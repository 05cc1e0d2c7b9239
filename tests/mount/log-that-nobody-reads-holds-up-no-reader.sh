#!/bin/bash
. "$(dirname "$0")/mount.sh"
# Standard error is a pipe that is full. The daemon loses the line, and says so when the pipe is read again.

need python3
need_root
mkdir low/own
for number in $(seq 4); do echo 'a: 1' >low/own/n$number.yaml; done
echo "a: 1" >low/app.yaml
echo "b: 1" >high/app.yaml
mkfifo pipe
exec 77<>pipe
"$PLYFS" mount -f -o noheader low:high mnt >/dev/null 2>pipe &
plyfs_pid=$!
eventually is_ready mnt
shows mnt/app.yaml $'a: 1\nb: 1'
python3 - >filled <<'END'
import os
filled = 0
os.set_blocking(77, False)
try:
    while True:
        filled += os.write(77, b"x" * 4096)
except BlockingIOError:
    pass
os.set_blocking(77, True)
print(filled)
END
echo 'a: [' >low/app.yaml
eventually test -s mnt/.plyfs/errors || fail "the broken source is not told"
for number in $(seq 4); do
	[ "$(timeout 60 cat mnt/own/n$number.yaml)" = 'a: 1' ] || fail "a file is not read"
done
exec 78<pipe
cat <&78 >log &
reader=$!
at_end "kill $reader 2>/dev/null || true"
is_empty() { [ "$(wc -c <log)" -ge "$(cat filled)" ]; }
eventually is_empty || fail "the pipe is not read"
echo 'a: 3' >low/app.yaml
says_so() { grep -q '1 lines were not logged' log && grep -q repaired log; }
eventually says_so || fail "the log has: $(tr -d x <log)"
exec 77>&- 78<&-
stop
