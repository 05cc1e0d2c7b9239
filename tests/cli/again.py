#!/usr/bin/env python3
"""Changes layers, settings and the rendered tree at random, and renders again: the tree is what a fresh rendering is.

    again.py PLYFS ROUNDS SEED

Some rounds wait until no stamp is racy, so that files are left unread; others do not. At least some must be left so.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(__file__), "../chaos"))
import trees  # noqa: E402

LAYERS = ["low", "web", "db", "high"]
NAMES = [f"{directory}{name}" for directory in ("", "sub/", "sub/deep/")
         for name in ("a.yaml", "b.yaml", "c.json", "d.txt", "e.ini", "a.yaml.d/10.yaml", "parts/x.yaml", "link")]
STRATEGIES = ["deep", "last", "first"]


def content(name):
    number = random.randrange(3)  # so the same bytes, and other bytes of the same size, are frequent
    return {".yaml": f"x: {number}\nlist: [{number}]\n", ".json": f'{{"x": {number}}}\n', ".ini": f"[s]\nx={number}\n"}.get(
        os.path.splitext(name)[1], f"text {number}\n")


def clear(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def write(path):
    clear(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content(path))


def rewrite(path):
    """In place, with the time before."""
    if os.path.isfile(path) and not os.path.islink(path):
        status = os.stat(path)
        os.chmod(path, 0o644)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content(path))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def link(path):
    clear(path)
    os.symlink(random.choice(NAMES), path)


def hide(path):
    mark = os.path.join(os.path.dirname(path), ".wh." + os.path.basename(path))
    if os.path.lexists(mark):
        os.unlink(mark)
    else:
        write(mark)


def touch(path):
    if os.path.lexists(path):
        os.utime(path, follow_symlinks=False)


def chmod(path):
    if os.path.isfile(path) and not os.path.islink(path):
        os.chmod(path, random.choice([0o644, 0o600, 0o640]))


def swap(path):
    """Two layers change their places: no file in them has another stamp."""
    del path
    for first, second in (("low", "other"), ("high", "low"), ("other", "high")):
        os.rename(first, second)


def configure(path=None):
    del path
    rules = [f"  - {{match: '{random.choice(NAMES)}', strategy: {random.choice(STRATEGIES)}}}",
             f"  - {{match: '*.yaml', dropins: {random.choice(['layers', 'false'])}}}"]
    if random.random() < 0.5:
        rules.append("  - {match: '*.json', schema: schema.json}")
    with open("plyfs.yaml", "w", encoding="utf-8") as file:
        file.write("facts: facts.yaml\nlayers: [low, '%{role}', high]\nrules:\n" + "\n".join(rules)
                   + f"\nfiles: [{{path: all.yaml, from: ['{random.choice(['', 'sub/'])}parts/*.yaml']}}]\n")


def fact(path=None):
    del path
    with open("facts.yaml", "w", encoding="utf-8") as file:
        file.write(f"role: {random.choice(['web', 'db'])}\n")


def schema(path=None):
    del path
    with open("schema.json", "w", encoding="utf-8") as file:
        json.dump(random.choice([{}, {"type": "object"}]), file)


def change():
    action = random.choice([write] * 4 + [rewrite] * 4 + [clear, link, hide, touch, chmod, chmod])
    action(f"{random.choice(LAYERS)}/{random.choice(NAMES)}")
    if random.random() < 0.3:
        random.choice([rewrite, clear, chmod, touch])(f"tree/{random.choice(NAMES)}")
    if random.random() < 0.3:
        random.choice([swap, configure, fact, schema])(None)


def render(plyfs, tree):
    done = subprocess.run([plyfs, "render", "-q", "-c", "plyfs.yaml", tree], capture_output=True, text=True, check=False)
    if done.returncode or "Sanitizer" in done.stderr:
        sys.exit(f"failed: plyfs render exits with {done.returncode}: {done.stderr}")
    with open(f"{tree}/.plyfs/status", encoding="utf-8") as file:
        return json.load(file)["compositions"]


def main():
    plyfs, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    print(f"seed {seed}")
    random.seed(seed)
    for layer in LAYERS:
        for name in NAMES:
            os.makedirs(os.path.dirname(f"{layer}/{name}"), exist_ok=True)
            if random.random() < 0.7:
                (link if name.endswith("link") else write)(f"{layer}/{name}")
    for make in configure, fact, schema:
        make()
    left = 0
    for number in range(rounds + 2):
        # In each of the others, a change of the settings may have all files made.
        is_last = number >= rounds
        for _ in range(0 if is_last else random.randrange(8)):
            change()
        if number == rounds - 1:
            write("low/kind.txt")
        elif number == rounds:
            write("low/a.yaml")
            os.mkdir("high/kind.txt")
        elif is_last:
            os.rmdir("high/kind.txt")
        if number in (rounds - 1, rounds):
            time.sleep(3.1)  # so that no stamp is racy in either of these
        elif number % 3:
            time.sleep(2.2 + random.random())
        made = render(plyfs, "tree")
        all_made = render(plyfs, "fresh")
        left += all_made - made
        wrong = trees.differences(trees.read("tree", False), trees.read("fresh", False))
        if wrong:
            sys.exit(f"failed: seed {seed}, round {number}: what is there, and what must be: {wrong[0]}")
        shutil.rmtree("fresh")
    print(f"{left} files were left as they were")
    if not left:
        sys.exit("failed: all files were made in each round")


main()
