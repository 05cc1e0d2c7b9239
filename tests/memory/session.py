#!/usr/bin/env python3
"""Changes layers while allocations fail in the daemon that shows them, and checks that all is right afterwards.

    session.py FAILING SHOWN STEP [SECONDS]

FAILING is the file that the daemon shares (failing.h). SHOWN is the directory where it shows plyfs.yaml's layers
`low` and `high`, which are in the working directory. In a round the n-th allocation fails, n = 0, STEP, 2 * STEP
…, until a round makes fewer than n allocations; then again with 20 that fail in a row. A round changes files,
directories and plyfs.yaml, and reads. A reader meanwhile gets an error or the right bytes. Soon after the round
all is right.
"""
import errno
import mmap
import os
import shutil
import struct
import sys
import time

PATIENCE = 60  # seconds until a failed step must be right
SETTLED = 0.15  # seconds in which the daemon has seen a change
ERRORS = (errno.ENOMEM, errno.EIO, errno.ENOENT, errno.EAGAIN, errno.ESTALE)


class Failing:
    """struct failing"""

    def __init__(self, path):
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 32)

    def put(self, index, value):
        self.map[index * 8:index * 8 + 8] = struct.pack("q", value)

    def get(self, index):
        return struct.unpack("q", self.map[index * 8:index * 8 + 8])[0]

    def start(self, left, count):
        self.put(0, left)
        self.put(2, 0)
        self.put(1, count)

    def stop(self):
        """Returns how many have failed, and how many more could have been asked for."""
        self.put(1, 0)
        return self.get(2), self.get(0)


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path + "~", "w") as file:
        file.write(text)
    os.rename(path + "~", path)


def change(number):
    """Returns what is to be shown: {path: bytes}."""
    for layer in ("low", "high"):
        for old in (f"{layer}/d{number - 1}", ):
            shutil.rmtree(old, ignore_errors=True)
        write(f"{layer}/d{number}/e/b.yaml", f"{layer}: {number}\n")
    write("low/a.yaml", f"n: {number}\nl: [1]\n")
    write("high/a.yaml", f"m: {number}\n")
    write("low/t.toml", f"n = {number}\n")
    write("high/t.toml", "[x]\ny = 1\n")
    write("low/u.service", f"[Unit]\nAfter=a{number}\n")
    write("high/u.service.d/1.conf", "[Unit]\nAfter=b\n")
    write("low/c.d/1.yaml", f"n: {number}\n")
    write("high/c.d/2.yaml", "m: 1\n")
    write(f"low/only{number}.txt", f"{number}\n")
    if os.path.exists(f"low/only{number - 1}.txt"):
        os.unlink(f"low/only{number - 1}.txt")
    made = f"made{number - number % 4}.yaml"
    if number % 4 == 0:
        write("plyfs.yaml", SETTINGS.replace("files: [", f"files: [{{path: {made}, from: ['c.d/*.yaml']}}, "))
    return {
        **({made: f"n: {number}\nm: 1\n"} if number >= 4 else {}),
        "a.yaml": f"n: {number}\nl: [1]\nm: {number}\n",
        f"d{number}/e/b.yaml": f"low: {number}\nhigh: {number}\n",
        "t.toml": f"n = {number}\n\n[x]\ny = 1\n",
        "u.service": f"[Unit]\nAfter=a{number}\nAfter=b\n",
        "u.service.d/1.conf": "[Unit]\nAfter=b\n",
        "c.d/1.yaml": f"n: {number}\n",
        "c.d/2.yaml": "m: 1\n",
        "all.yaml": f"n: {number}\nm: 1\n",
        f"only{number}.txt": f"{number}\n",
    }


def shown(root):
    """{path: bytes or an errno}"""
    found = {}
    for place, directories, names in os.walk(root, onerror=lambda error: found.update({error.filename: error.errno})):
        for name in list(directories):
            if name.startswith("."):
                directories.remove(name)
        for name in names:
            path = os.path.join(place, name)
            try:
                with open(path) as file:
                    found[os.path.relpath(path, root)] = file.read()
            except OSError as error:
                found[os.path.relpath(path, root)] = error.errno
    return found


def read_all(root, number):
    for path, text in shown(root).items():
        if isinstance(text, int) and text not in ERRORS:
            sys.exit(f"failed: round {number}: {path}: {errno.errorcode[text]}")
    try:
        with open(f"{root}/.plyfs/status") as file:
            file.read()
    except OSError:
        pass


def comes_to_show(root, expected):
    end = time.monotonic() + PATIENCE
    while (found := shown(root)) != expected:
        if time.monotonic() > end:
            return found
        time.sleep(0.02)
    return None


def round_of(failing, root, number, left, count):
    failing.start(left, count)
    expected = change(number)
    read_all(root, number)
    time.sleep(SETTLED)
    failed, _ = failing.stop()
    found = comes_to_show(root, expected)
    if found is not None:
        wrong = {path for path in {*found, *expected} if found.get(path) != expected.get(path)}
        sys.exit(f"failed: round {number}: {failed} allocations from {left} on have failed, and afterwards "
                 + "; ".join(f"{path} is {found.get(path)!r} and not {expected.get(path)!r}" for path in sorted(wrong)))
    return failed


def main():
    failing, root, step = Failing(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 1e9
    number = failures = 0
    for count in (1, 20):
        left, end = 0, time.monotonic() + seconds / 2
        while time.monotonic() < end:
            number += 1
            failed = round_of(failing, root, number, left, count)
            failures += failed
            if not failed:
                break
            left += step
        print(f"{count} in a row: up to the {left}th allocation of a round")
    print(f"{number} rounds, {failures} allocations failed")


with open("plyfs.yaml") as settings:
    SETTINGS = settings.read()
main()
