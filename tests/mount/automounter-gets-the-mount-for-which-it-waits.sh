#!/bin/bash
. "$(dirname "$0")/mount.sh"

# systemd mounts a line of fstab with x-systemd.automount in this way, autofs(5): the first access waits, and only
# processes of the automounter's group see what lies beneath.
need_root
need python3
grep -qw autofs /proc/filesystems || skip "the kernel has no autofs"
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml

cat >automounter.py <<'X'
import ctypes, fcntl, os, select, signal, struct, subprocess, sys

MISSING_DIRECT, READY = 5, 0x9360
libc = ctypes.CDLL(None, use_errno=True)
os.setpgid(0, 0)
requests, kernels_end = os.pipe()
options = f"fd={kernels_end},pgrp={os.getpgrp()},minproto=5,maxproto=5,direct"
if libc.mount(b"auto", b"mnt", b"autofs", 0, options.encode()) < 0:
    sys.exit(77)
os.close(kernels_end)
root = os.open("mnt", os.O_RDONLY | os.O_DIRECTORY)
reader = subprocess.Popen(["cat", "mnt/app.yaml"], start_new_session=True)
mounting = None
while mounting is None or reader.poll() is None:
    # A second request means that the mount waits for itself.
    if not select.select([requests], [], [], 0.1 if mounting else 60)[0]:
        if mounting is None:
            sys.exit("the first access asked for no mount")
        continue
    kind, token = struct.unpack_from("iI", os.read(requests, 304), 4)
    assert kind == MISSING_DIRECT
    if mounting:
        reader.kill()
        sys.exit("plyfs waits for the mount that it is to make")
    mounting = subprocess.Popen(sys.argv[1:])
    while mounting.poll() is None:
        if select.select([requests], [], [], 0.1)[0]:
            libc.umount2(b"mnt", 2)
            mounting.kill()
            reader.kill()
            sys.exit("plyfs waits for the mount that it is to make")
    fcntl.ioctl(root, READY, token)
sys.exit(mounting.returncode or reader.returncode)
X
for mounter in "$PLYFS mount -o noheader low:high mnt" "$PLYFS mount -o noheader,unpublished low:high mnt"; do
	code=0
	# shellcheck disable=SC2086
	python3 automounter.py $mounter >out 2>messages || code=$?
	[ $code -ne 77 ] || skip "autofs can't be mounted here"
	[ $code -eq 0 ] || fail "the automounter ended with $code: $(cat messages)"
	is out $'a: 1\nb: 1' || fail "the first reader has: $(cat out)"
	daemon=$(status pid)
	for pid in "$daemon" $(cat "/proc/$daemon/task/$daemon/children"); do
		[ "$(ps -o sid= -p "$pid" | tr -d ' ')" != "$(ps -o sid= -p $$ | tr -d ' ')" ] ||
			fail "a process of the mount is in the caller's session: $(cat "/proc/$pid/comm")"
	done
	unmount mnt
	eventually has_ended "$daemon" || fail "the daemon does not end"
	umount mnt
done
