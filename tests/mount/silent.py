"""Mounts a file system at sys.argv[1] that claims to be a plyfs, and answers no request. With `deaf` as sys.argv[2]
it reads no request. With `mute` it reads each one, so that not even SIGKILL ends a process that waits. With `liar`
it answers with a status of its own (sys.argv[3]), as the mount of the user MOUNTER; so it does with `nameless`, but
STATFS is an error. With `half_READ`
or another request it shows app.yaml and the empty directories d1 to d9, and reads but does not answer such requests. With `for_12` or another number it shows app.yaml,
answers so many requests, and is mute from then on. It prints "mounted", and ends with
its input. A line of that is the request that it does not answer from then on, or ALL; with NONE it answers what it has left."""
import ctypes
import os
import select
import struct
import sys

INIT, LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INTERRUPT = 26, 1, 2, 3, 14, 15, 17, 18, 25, 36
OPENDIR, READDIR, RELEASEDIR, CREATE = 27, 28, 29, 35
TAKES_NO_ANSWER = FORGET, INTERRUPT, 42  # BATCH_FORGET
place, kind = sys.argv[1], sys.argv[2]
shows_file = kind.startswith(("half_", "for_"))
text = open(sys.argv[3], "rb").read() if kind in ("liar", "nameless") else b"half: 1\n" if shows_file else b""
NONE, ALL = None, -1
unanswered = globals()[kind[5:]] if "half" in kind else None
left = []
answers_left = int(kind[4:]) if "for_" in kind else 1
libc = ctypes.CDLL(None, use_errno=True)
fuse = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={fuse},rootmode=40000,user_id={os.environ.get('MOUNTER', 0)},group_id=0,allow_other"
if libc.mount(b"user_id=0,", place.encode(), b"fuse.plyfs", 0, options.encode()) != 0:
    sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
print("mounted", flush=True)

NODES = {1: (0o40700 if kind == "half_CREATE" else 0o40755, 0), 2: (0o40755, 0), 3: (0o100444, len(text))}
NODES |= {10 + i: NODES[2] for i in range(1, 10)}
NAMES = {(1, b"app.yaml"): 3} | {(1, b"d%d" % i): 10 + i for i in range(1, 10)} if shows_file else {(1, b".plyfs"): 2, (2, b"status"): 3}


def attributes(node):
    mode, size = NODES[node]
    return struct.pack("<6Q10I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(code, node, body):
    if code == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 65536, 0, 12, 12, 65536, 1, 0, 0, *[0] * 8)
    if kind == "mute" or unanswered in (code, ALL):
        return None
    if code == LOOKUP:
        child = NAMES.get((node, body.rstrip(b"\0")))
        return struct.pack("<4Q2I", child, 0, 0, 0, 0, 0) + attributes(child) if child else -2
    if code == GETATTR:
        return struct.pack("<Q2I", 0, 0, 0) + attributes(node)
    if code in (OPEN, OPENDIR):
        return struct.pack("<Q2I", 0, 1, 0)
    if code == READ:
        offset, size = struct.unpack_from("<8xQI", body)
        return text[offset:offset + size]
    if code == READDIR:
        offset, = struct.unpack_from("<8xQ", body)
        names = sorted(NAMES) if node == 1 and not offset else []
        return b"".join(struct.pack("<2Q2I8s", NAMES[name], 1, len(name[1]), NODES[NAMES[name]][0] >> 12, name[1])
                        for name in names)
    if code == STATFS:
        return -5 if kind == "nameless" else bytes(80)
    return b"" if code in (RELEASE, RELEASEDIR, FLUSH) else -38


def serve(request):
    global kind, answers_left
    _, code, unique, node = struct.unpack_from("<IIQQ", request)
    if code not in (INIT, *TAKES_NO_ANSWER) and "for_" in kind:
        kind = "mute" if answers_left == 0 else kind
        answers_left -= 1
    reply = None if code in TAKES_NO_ANSWER else answer(code, node, request[40:])
    if isinstance(reply, int):
        os.write(fuse, struct.pack("<IiQ", 16, reply, unique))
    elif reply is not None:
        os.write(fuse, struct.pack("<IiQ", 16 + len(reply), 0, unique) + reply)
    elif code not in TAKES_NO_ANSWER:
        left.append(request)


while True:
    readable, _, _ = select.select([sys.stdin] + ([] if kind == "deaf" else [fuse]), [], [])
    if sys.stdin in readable:
        line = os.read(0, 100).decode().strip()
        if not line:
            break
        unanswered = globals()[line]
        print(line, flush=True)
        again, left = left, []
        for request in again:
            serve(request)
    else:
        serve(os.read(fuse, 1 << 17))
libc.umount2(place.encode(), 3)
