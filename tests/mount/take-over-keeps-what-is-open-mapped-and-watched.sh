#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

need python3
need_root

mkdir -p low/d/e high/d
printf 'a: 1\nb: 1\n' >low/app.yaml
printf 'b: 2\n' >high/app.yaml
printf 'x: 1\n' >low/d/deep.yaml
printf 'y: 1\n' >low/d/e/deeper.yaml
printf 'never: 1\n' >low/unread.yaml
printf 'never: 1\n' >low/quiet.yaml
ln -s app.yaml low/link
truncate -s 20M low/large.bin
for i in $(seq 300); do printf 'n: %s\n' "$i" >"low/d/name-$i"; done
start
cat >holder.py <<'PYTHON'
"""Holds all that a process can have of a mount, over what the lines on standard input wait for."""
import ctypes
import mmap
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)


class Dirent(ctypes.Structure):
    _fields_ = [("ino", ctypes.c_uint64), ("off", ctypes.c_int64), ("len", ctypes.c_uint16),
                ("type", ctypes.c_uint8), ("name", ctypes.c_char * 256)]


libc.fdopendir.restype = ctypes.c_void_p
libc.readdir.restype = ctypes.POINTER(Dirent)
libc.readdir.argtypes = [ctypes.c_void_p]


def entries(stream, count):
    found = []
    while len(found) < count:
        entry = libc.readdir(stream)
        if not entry:
            break
        found.append(entry.contents.name.decode())
    return found


NAMES = ("", "app.yaml", "d", "d/deep.yaml", "d/e", "d/e/deeper.yaml", "link", "large.bin", "d/name-7")


def identity(path):
    found = os.lstat("mnt/" + path)
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


file = os.open("mnt/app.yaml", os.O_RDONLY)
text = os.pread(file, 1000, 0)
mapped = mmap.mmap(file, 0, prot=mmap.PROT_READ)
large = os.open("mnt/large.bin", os.O_RDONLY)
os.pread(large, 4096, 0)
inner = os.open("mnt/d/e", os.O_RDONLY)
listed = os.open("mnt/d", os.O_RDONLY)
stream = libc.fdopendir(listed)
first = entries(stream, 20)
before = {path: identity(path) for path in NAMES}
print("ready", flush=True)

sys.stdin.readline()
after = {path: identity(path) for path in NAMES}
assert before == after, [(before[path], after[path]) for path in NAMES if before[path] != after[path]]
print("same", flush=True)

sys.stdin.readline()
assert os.pread(file, 1000, 0) == text and mapped[:] == text
assert os.fstat(file).st_ino == before["app.yaml"][0]
assert os.pread(large, 4096, 19 << 20) == bytes(4096)
assert os.open("deeper.yaml", os.O_RDONLY, dir_fd=inner) >= 0
names = first + entries(stream, 10000)
assert sorted(names) == sorted(set(names)) and len(names) == 304, len(names)
assert sum(name.startswith("name-") for name in names) == 300
print("kept", flush=True)
PYTHON
coproc HOLDER { exec python3 holder.py 2>holder.err; }
holder=$HOLDER_PID
said() {
	local line
	read -r -t 120 -u "${HOLDER[0]}" line && [ "$line" = "$1" ] || fail "not '$1': $(cat holder.err)"
}
said ready
watch mnt mnt/app.yaml

# Nothing has changed: watchers get no event, and everything is as it was.
renewed
sleep 1
saw_no_events
echo >&"${HOLDER[1]}"
said same

# With the command, which waits for the new program.
taken_over "$PLYFS" mount --take-over mnt
sleep 0.3
saw_no_events

# A change before, one of a file that no program has read, and one after.
printf 'b: 3\n' >high/app.yaml
printf 'never: 2\n' | replace low/unread.yaml
mkdir low/fresh
renewed
comes_event '^mnt/ MOVED_TO app.yaml$'
comes_event '^mnt/ MOVED_TO unread.yaml$'
comes_event '^mnt/ CREATE,ISDIR fresh$'
comes_to_show mnt/app.yaml $'a: 1\nb: 3'
shows mnt/unread.yaml 'never: 2'
printf 'b: 4\n' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 4'
rm low/quiet.yaml
comes_event '^mnt/ DELETE quiet.yaml$'
have_come() { [ "$(grep -c 'MOVED_TO app.yaml' events)" -ge 2 ]; }
eventually have_come || true
sleep 0.3
[ "$(grep -c 'MOVED_TO app.yaml' events)" -eq 2 ] || fail "not two changes: $(cat events)"
[ "$(grep -c 'unread.yaml' events)" -eq 1 ] || fail "not one change: $(cat events)"
# However often, the new daemon's command line does not grow.
tr '\0' '\n' <"/proc/$plyfs_pid/cmdline" >words
renewed
tr '\0' '\n' <"/proc/$plyfs_pid/cmdline" | diff words - || fail "other words"
echo >&"${HOLDER[1]}"
said kept
wait "$holder" || fail "$(cat holder.err)"
unwatch 0.1
[ "$(status publisher mode)" = clone ] || fail "changes are published by: $(status publisher mode)"
stop
! is_mounted mnt || fail "it is mounted still"
