#!/bin/bash
. "$(dirname "$0")/mount.sh"
# A process that makes a user namespace has all capabilities in it, and none over other users' files.

need_root
need python3
chmod 755 "$directory"
for i in $(seq 60); do
	mkdir low/$i
done
start
cat >reader.py <<'END'
import ctypes, os, sys, time

def as_user():
    os.setgroups([])
    os.setresgid(2003, 2003, 2003)
    os.setresuid(1003, 1003, 1003)
    if ctypes.CDLL(None).unshare(0x10000000):  # CLONE_NEWUSER
        os._exit(77)
    with open("/proc/self/status") as status:
        is_powerless = any(line.split() == ["CapEff:", "0" * 16] for line in status)
    os.write(answers, b"!" if is_powerless else b".")

def read(path):
    try:
        with open(path) as file:
            return b"!" if file.read() else b"."
    except OSError:
        return b"."

wanted, want = os.pipe()
answered, answers = os.pipe()
reader = os.fork()
if reader == 0:
    os.close(want)
    as_user()
    while name := os.read(wanted, 3):
        os.write(answers, read(f"mnt/{int(name)}/key"))
    os._exit(0)
os.close(answers)
if os.read(answered, 1) != b".":
    sys.exit(77)
for number in range(1, 61):
    os.stat(f"mnt/{number}")
    os.chmod(f"low/{number}", 0o700)
    with open(f"low/{number}/key", "w") as file:
        file.write("secret: 1\n")
    os.write(want, b"%03d" % number)
    if os.read(answered, 1) != b".":
        sys.exit(f"he reads mnt/{number}/key, and was shut out before it was written")
END
code=0
python3 reader.py || code=$?
[ $code -ne 77 ] || skip "users may make no user namespaces here"
[ $code -eq 0 ]
# Root, whom no right shuts out, can read all the while.
[ "$(cat mnt/60/key)" = 'secret: 1' ]
