#!/usr/bin/env python3
"""Makes random changes of every kind in layers, and compares two trees.

    storm.py change SEED SECONDS LAYER...
    storm.py compare TREE TREE
"""
import os
import random
import shutil
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(__file__), "../chaos"))
import trees  # noqa: E402

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


def compare(one, other):
    found = trees.differences(trees.read(one, False), trees.read(other, False))
    print("\n".join(found))
    return bool(found)


if sys.argv[1] == "change":
    change(int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
else:
    sys.exit(compare(sys.argv[2], sys.argv[3]))
