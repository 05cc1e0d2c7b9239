#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

need pgrep python3

chmod 711 .
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: "{slow,bad}.yaml", timeout: 10m, check: [sh, -c, 'until [ -e $PWD/go ]; do sleep 0.02; done; ! grep -q bad "\$1"', sh, "%f"]}
YAML
echo 'a: 1' >low/slow.yaml
echo 'a: bad' >low/bad.yaml
echo 'a: 1' >low/other.yaml
start -c plyfs.yaml mnt
cat mnt/slow.yaml >slow &
first=$!
cat mnt/bad.yaml >bad 2>bad.err &
second=$!

# A signal that a program handles does not end its wait; one that kills the program does, also after the other.
signalled() {
	exec python3 -c '
import ctypes, os, signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
libc = ctypes.CDLL(None, use_errno=True)
file = libc.open(b"mnt/slow.yaml", os.O_RDONLY)
signal.setitimer(signal.ITIMER_REAL, 0)
print(os.strerror(ctypes.get_errno()) if file < 0 else os.read(file, 100).decode().strip())'
}
has_signal() { grep -q '^ShdPnd:.*2000$' "/proc/$1/status" || has_ended "$1"; } # SIGALRM
signalled >handled &
third=$!
signalled >killed &
fourth=$!
eventually has_signal $third
eventually has_signal $fourth
kill -9 $fourth
eventually has_ended $fourth || fail "a killed program waits"
[ ! -s killed ] || fail "a program that handles a signal got: $(cat killed)"

# The kernel does not tell the next daemon of the first signal.
signalled >killed &
fourth=$!
eventually has_signal $fourth
taken_over "$PLYFS" mount --take-over mnt
kill -9 $fourth
eventually has_ended $fourth || fail "a killed program waits after a take-over"
[ ! -s killed ] || fail "a program that handles a signal got, after a take-over: $(cat killed)"

# So does stat; but no other call waits: neither a listing, nor a change in the same directory.
! timeout 0.5 stat mnt/slow.yaml >/dev/null || fail "the size of what is not judged yet is shown"
timeout 60 ls mnt >listing || fail "a listing waits"
grep -q slow.yaml listing
timeout 60 cat mnt/other.yaml >/dev/null || fail "a reader of another file waits"
echo 'a: 2' | replace low/other.yaml
comes_to_show mnt/other.yaml 'a: 2'
echo 'a: 3' | replace high/new.yaml
comes_to_show mnt/new.yaml 'a: 3'
for i in 1 2 3; do
	echo "b: $i" | replace high/new.yaml
	comes_to_show mnt/new.yaml "b: $i"
done
kill -0 $first 2>/dev/null && kill -0 $second 2>/dev/null || fail "the first look does not wait"
[ ! -s slow ] || fail "what is not judged yet is shown: $(cat slow)"

touch go
wait $first || fail "what passed can't be read"
is slow 'a: 1' || fail "the reader got: $(cat slow)"
wait $third
is handled 'a: 1' || fail "the reader that handles a signal got: $(cat handled)"
! wait $second || fail "what failed can be read"
[ ! -s bad ] || fail "what failed is shown: $(cat bad)"
grep -q 'Input/output error' bad.err
fails_with 'Input/output error' cat mnt/bad.yaml
grep -q "bad.yaml: the check 'sh' ended with 1" log || fail "the log does not tell it"
echo 'a: good' | replace low/bad.yaml
comes_to_show mnt/bad.yaml 'a: good'

# If the mount ends while a process waits, no process is left waiting or running.
rm go
echo 'x: 1' >low/slow.yaml
sleep 0.3
"$PLYFS" umount mnt
ended_cleanly
has_gone() { ! pgrep -f "until .-e $PWD/go" >/dev/null; }
eventually has_gone || fail "the check still runs: $(pgrep -af "$PWD/go")"
