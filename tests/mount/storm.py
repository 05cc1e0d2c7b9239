#!/usr/bin/env python3
"""Makes random changes of every kind in layers, and compares two trees.

    storm.py change SEED SECONDS LAYER...
    storm.py compare TREE TREE
"""
import os
import random
import shutil
import stat
import sys
import time

DIRECTORIES = ["", "d", "d/e", "f"]
NAMES = ["a.yaml", "b.yaml", "c.json", "plain", "link", "d", "e", "f"]


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def text_for(path, chance):
    if path.endswith(".json"):
        return '{"n": %d, "%s": true}\n' % (chance.randrange(100), chance.choice("xyz"))
    if path.endswith(".yaml"):
        return f"n: {chance.randrange(100)}\n{chance.choice('xyz')}: [{chance.randrange(9)}]\n"
    return f"line {chance.randrange(100)}\n"


def one_change(layer, chance):
    path = os.path.join(layer, chance.choice(DIRECTORIES), chance.choice(NAMES))
    kind = chance.choice(["write", "write", "rename", "rename", "remove", "link", "directory", "mode", "whiteout"])
    if kind == "remove":
        remove(path)
    elif kind == "directory":
        os.makedirs(path, exist_ok=True)
    elif kind == "link":
        os.symlink(chance.choice(["a.yaml", "nowhere"]), path)
    elif kind == "mode":
        os.chmod(path, chance.choice([0o755, 0o750, 0o700]) if os.path.isdir(path) else chance.choice([0o644, 0o640]))
    elif kind == "whiteout":
        with open(os.path.join(os.path.dirname(path), ".wh." + os.path.basename(path)), "w"):
            pass
    elif kind == "write":
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_for(path, chance))
    else:
        with open(path + ".tmp~", "w", encoding="utf-8") as file:
            file.write(text_for(path, chance))
        os.rename(path + ".tmp~", path)


def mend(path, chance):
    """Gives a YAML file values again, if a line was written to it through a link: a text over a map does not merge."""
    if os.path.islink(path):
        return
    with open(path, encoding="utf-8") as file:
        is_line = file.read().startswith("line")
    if is_line:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_for(path, chance))


def change(seed, seconds, layers):
    chance = random.Random(seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            one_change(chance.choice(layers), chance)
        except OSError:
            pass
        if chance.random() < 0.1:
            time.sleep(0.01)
    # A mount shows EIO for a file that can't be read at all; a rendered tree does not have it.
    for layer in layers:
        for directory, _, names in os.walk(layer):
            for name in names:
                if name.startswith(".wh.") and chance.random() < 0.7:
                    os.unlink(os.path.join(directory, name))
                elif name.endswith(".yaml"):
                    mend(os.path.join(directory, name), chance)


def shown(path):
    status = os.lstat(path)
    kind = stat.S_IFMT(status.st_mode)
    if stat.S_ISLNK(kind):
        return ("link", os.readlink(path))
    if stat.S_ISDIR(kind):
        return ("directory", oct(status.st_mode), status.st_uid, status.st_gid)
    with open(path, "rb") as file:
        return ("file", oct(status.st_mode), status.st_uid, status.st_gid, file.read())


def tree(top):
    found = {}
    for directory, directories, names in os.walk(top):
        if directory == top and ".plyfs" in directories:
            directories.remove(".plyfs")
        for name in directories + names:
            path = os.path.join(directory, name)
            found[os.path.relpath(path, top)] = shown(path)
    return found


def compare(one, other):
    left, right = tree(one), tree(other)
    for path in sorted(left.keys() | right.keys()):
        if left.get(path) != right.get(path):
            print(f"{path}: {left.get(path)} in {one}, and {right.get(path)} in {other}")
    return 0 if left == right else 1


if sys.argv[1] == "change":
    change(int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
else:
    sys.exit(compare(sys.argv[2], sys.argv[3]))
