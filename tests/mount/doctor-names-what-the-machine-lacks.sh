#!/bin/bash
# plyfs doctor has a line for each thing of the machine that a mount needs, or would be safer with, and that is missing.
. "$(dirname "$0")/mount.sh"

need python3
need_root
need_private
finds() { grep -qxF -- "$1" out || fail "no '$1' in: $(cat out)"; }
finds_no() { ! grep -qF -- "$1" out || fail "'$1' is in: $(cat out)"; }
doctor() { "$@" >out 2>err || true; }

doctor "$PLYFS" doctor
finds_no /dev/fuse
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("no-device")'
mount --bind no-device /dev/fuse
doctor "$PLYFS" doctor
grep -q "^/dev/fuse: can't be opened (No such device or address), so nothing can be mounted, .*; modprobe fuse\$" out || fail "$(cat out)"
umount /dev/fuse

# A container has neither the device nor the right to mount, unless it is given both. The mount command names both, too.
if command -v setpriv >/dev/null; then
	doctor setpriv --bounding-set=-sys_admin "$PLYFS" doctor
	grep -q '^CAP_SYS_ADMIN: root lacks this capability here, .*(--cap-add=SYS_ADMIN)$' out || fail "$(cat out)"
	doctor setpriv --bounding-set=-sys_admin "$PLYFS" mount low mnt
	grep -qx "plyfs: $PWD/mnt: can't be mounted, as root lacks CAP_SYS_ADMIN here; give it to the container (--cap-add=SYS_ADMIN), or use 'plyfs render'" err ||
		fail "$(cat err)"
fi
mount --bind no-device /dev/fuse
doctor "$PLYFS" mount low mnt
grep -qx "plyfs: $PWD/mnt: can't be mounted; check that /dev/fuse exists (modprobe fuse; for a container --device=/dev/fuse) and, .*" err ||
	fail "$(cat err)"
umount /dev/fuse

# Without Landlock, and without filters of system calls, as in an old kernel.
cat >without.py <<'END'
import ctypes, os, platform, struct, sys
PRCTL = {"x86_64": 157, "aarch64": 167}.get(platform.machine()) or sys.exit(77)
LOAD, EQUALS, RETURN = 0x20, 0x15, 6
def refuse(number, error, argument=None):
    more = [] if argument is None else [(LOAD, 0, 0, 16), (EQUALS, 0, 1, argument)]
    return [(LOAD, 0, 0, 0), (EQUALS, 0, len(more) + 1, number)] + more + [(RETURN, 0, 0, 0x50000 | error)]
rules = refuse(444, 38) if sys.argv[1] == "landlock" else refuse(PRCTL, 22, 21)  # ENOSYS; EINVAL for PR_GET_SECCOMP
code = b"".join(struct.pack("HBBI", *rule) for rule in rules + [(RETURN, 0, 0, 0x7FFF0000)])
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, ctypes.byref(Program(len(code) // 8, code)), 0, 0) != 0:
    sys.exit(77)
os.execv(sys.argv[2], sys.argv[2:])
END
for part in landlock seccomp; do
	code=0
	python3 without.py $part "$PLYFS" doctor >out || code=$?
	[ $code -ne 77 ] || skip "there can be no filter here"
	[ $code -eq 1 ] || fail "it exits with $code: $(cat out)"
	case $part in
	landlock) grep -q '^Landlock: the kernel does not offer it here, so .*; boot Linux 5.13 or newer with landlock' out ;;
	seccomp) grep -qE '^seccomp: it is not available, so .*; (boot Linux with|install a plyfs)' out ;;
	esac || fail "$(cat out)"
done
doctor "$PLYFS" doctor -v
[ ! -e /sys/kernel/security/lsm ] || ! grep -q landlock /sys/kernel/security/lsm || finds 'Landlock: in order'

# An ordinary user mounts through fusermount3.
need_user_mounts
[ "$(stat -L -c %a /dev/fuse)" = 666 ] || fail "others can't open /dev/fuse"
cp -L "$PLYFS" plyfs
chmod 755 . plyfs
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups env "$@"; }
doctor as_user ./plyfs doctor
finds_no fuse
chmod 600 /dev/fuse
doctor as_user ./plyfs doctor
finds "/dev/fuse: this user can't open it, and so can't mount; chmod 666 /dev/fuse"
chown 65534 mnt
for option in private allow_other; do
	doctor as_user ./plyfs mount -o $option low mnt
	grep -qx "plyfs: $PWD/mnt: can't be mounted, as this user can't open /dev/fuse; let root allow it: chmod 666 /dev/fuse" err ||
		fail "$(cat err)"
done
chmod 666 /dev/fuse
doctor as_user PATH=/nonexistent ./plyfs doctor
finds 'fusermount3: is not installed as a set-uid program of root, so only root can mount; apt install --reinstall fuse3'
mkdir bin
cp "$(command -v fusermount3)" bin
chmod 755 bin bin/fusermount3
doctor as_user PATH="$PWD/bin" ./plyfs doctor
finds 'fusermount3: is not installed as a set-uid program of root, so only root can mount; apt install --reinstall fuse3'
chmod u+s bin/fusermount3
doctor as_user PATH="$PWD/bin" ./plyfs doctor
finds_no fusermount3
# Root needs none.
PATH=/nonexistent doctor "$PWD/plyfs" doctor
finds_no fusermount3

# Other users are let in only if root allows it; that is no fault unless it is asked for.
touch fuse.conf /etc/fuse.conf
mount --bind fuse.conf /etc/fuse.conf
doctor as_user ./plyfs doctor
finds_no user_allow_other
doctor as_user ./plyfs doctor -o allow_other
finds "/etc/fuse.conf: has no line 'user_allow_other', so only root can mount with -o allow_other; echo user_allow_other >> /etc/fuse.conf"
doctor ./plyfs doctor -o allow_other
finds_no user_allow_other
echo user_allow_other >fuse.conf
doctor as_user ./plyfs doctor -o allow_other
finds_no user_allow_other

# A layer on a file system without inotify; here FUSE, by a mount of plyfs.
echo 'a: 1' >low/app.yaml
start low mnt
doctor "$PLYFS" doctor mnt:high
finds 'mnt: it lies on a network or FUSE file system, whose changes inotify does not report, so a change shows up to 1000 ms later; copy it to a local disk, or set poll_interval in plyfs.yaml'
doctor "$PLYFS" doctor low:high
finds_no inotify
stop
