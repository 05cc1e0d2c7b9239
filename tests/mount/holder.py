#!/usr/bin/env python3
"""Holds everything that a program can have of a mount, and reads app.yaml again and again, until the file `go`
exists.

    holder.py MOUNT REPORT [--may-fail]     writes its findings to REPORT, and "ready" first
"""
import ctypes
import mmap
import os
import sys
import time

mount, report = sys.argv[1:3]
libc = ctypes.CDLL(None, use_errno=True)
MOVED_TO = 0x80

path = os.path.join(mount, "app.yaml")
file = os.open(path, os.O_RDONLY)
text = os.pread(file, 1000, 0)
mapped = mmap.mmap(file, 0, prot=mmap.PROT_READ)
directory = os.open(mount, os.O_RDONLY)
number = os.fstat(file).st_ino
watch = libc.inotify_init1(os.O_NONBLOCK)
assert libc.inotify_add_watch(watch, mount.encode(), MOVED_TO) >= 0


def say(line):
    with open(report, "a", encoding="utf-8") as out:
        print(line, file=out)


say("ready")
reads, longest, last, is_over = 0, 0, 0, False
while not is_over:
    is_over = os.path.exists(report + ".end")
    before = time.monotonic()
    try:
        with open(path, encoding="utf-8") as now:
            value = int(now.read().removeprefix("a: "))
    except OSError as error:
        say(f"failed: {error}")
        sys.exit(1)
    longest = max(longest, time.monotonic() - before)
    assert value >= last, (value, last)
    last = value
    reads += 1
    time.sleep(0.002)
assert os.pread(file, 1000, 0) == text and mapped[:] == text and os.fstat(file).st_ino == number
assert "app.yaml" in os.listdir(directory)
try:
    events = os.read(watch, 65536).count(b"app.yaml")
except BlockingIOError:
    events = 0
say(f"kept: read {last}, {events} events")
print(f"{reads} reads, the longest took {longest * 1000:.0f} ms")
