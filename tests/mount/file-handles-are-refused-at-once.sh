#!/bin/bash
# A handle that works until the kernel forgets its file is worse than none: an NFS export would fail later. So neither
# the kernel nor a server gets one, before and after the kernel has forgotten the names.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

need python3
need_root
[ "$(printf '%s\n' 6.10 "$(uname -r)" | sort -V | head -1)" = 6.10 ] ||
	skip "Linux refuses the handles of a FUSE mount from 6.10 on"
mkdir -p low/d high/d
echo 'a: 1' >low/app.yaml
echo 'b: 2' >high/app.yaml
ln -s app.yaml low/link
# refuses WHEN: no path gives a handle; and its identity alone (AT_HANDLE_FID), which fanotify uses, opens nothing.
refuses() {
	python3 - mnt mnt/app.yaml mnt/d mnt/d/one.yaml mnt/link mnt/.plyfs mnt/.plyfs/status <<'EOF' || fail "$1"
import ctypes, errno, os, struct, sys

AT_FDCWD, AT_HANDLE_FID, HANDLE_MAX = -100, 0x200, 128
libc = ctypes.CDLL(None, use_errno=True)


def take(path, flags):
    """The handle, or why there is none."""
    handle = ctypes.create_string_buffer(struct.pack("Ii", HANDLE_MAX, 0), 8 + HANDLE_MAX)
    mount = ctypes.c_int()
    if libc.name_to_handle_at(AT_FDCWD, path.encode(), handle, ctypes.byref(mount), flags) < 0:
        return None, ctypes.get_errno()
    return handle, 0


where = os.open("mnt", os.O_RDONLY)
for path in sys.argv[1:]:
    handle, code = take(path, 0)
    if code != errno.EOPNOTSUPP:
        sys.exit(f"a handle of {path} is not refused: {os.strerror(code)}")
    handle, code = take(path, AT_HANDLE_FID)
    if handle and libc.open_by_handle_at(where, handle, os.O_PATH) >= 0:
        sys.exit(f"the identity of {path} opens it")
EOF
}
for coherence in cached strict; do
	echo 'a: 1' >low/d/one.yaml
	echo "{layers: [low, high], options: {coherence: $coherence}}" >$coherence.yaml
	start -c $coherence.yaml mnt
	refuses "it gives handles at first"
	forget_names
	refuses "it gives handles when names were forgotten"
	shows mnt/app.yaml $'a: 1\nb: 2'
	# Watchers get the same events as ever.
	if [ $coherence = cached ]; then
		watch mnt/d
		echo 'a: 2' >low/d/one.yaml
		comes_event 'MOVED_TO one.yaml'
		unwatch
	fi
	refuses "it gives handles after a change"
	renewed
	refuses "it gives handles when it was taken over"
	stop
done
