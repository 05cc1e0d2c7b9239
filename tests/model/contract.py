"""Shared by lock.py and bound.py, whose arguments are PLYFS [FILES [SEED]]: random layers are rendered, and the contract
is judged here."""

import atexit
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is missing")
    sys.exit(77)

LAYERS = ["vendor", "policy", "site", "host"]
NOTHING = object()
RULES = {
    "deep": "strategy: deep",
    "deep-append": "strategy: deep, options: {lists: append}",
    "salt": "strategy: salt, options: {level: false}",
    "salt-level": "strategy: salt, options: {level: true}",
    "cfengine": "strategy: cfengine",
    "cloud-init": "strategy: cloud-init",
    "pillar": "strategy: pillar",
    "json": "strategy: deep",
}

plyfs = os.path.abspath(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
rng = random.Random(seed)


# ---- Trees and places, naively

def steps(tree):
    if isinstance(tree, dict):
        return list(tree.items())
    return list(enumerate(tree)) if isinstance(tree, list) else []


def matches(words, path):
    if not words:
        return not path
    if words[0] == "**":
        return any(matches(words[1:], path[i:]) for i in range(len(path) + 1))
    return bool(path) and words[0] in ("*", str(path[0])) and matches(words[1:], path[1:])


def every_path(tree, path=()):
    if tree is NOTHING:
        return
    yield path
    for step, child in steps(tree):
        yield from every_path(child, path + (step,))


def get(tree, path):
    for step in path:
        found = [child for key, child in steps(tree) if type(key) is type(step) and key == step]
        if not found:
            return NOTHING
        tree = found[0]
    return tree


# ---- The command

def run(*arguments):
    done = subprocess.run([plyfs, *arguments], text=True, capture_output=True)
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    assert done.returncode in (0, 1), done.stderr
    return done


def read_ini(text):
    tree, section = {}, None
    for line in text.splitlines():
        if line.startswith("["):
            section = tree.setdefault(line[1:-1], {})
        elif "=" in line:
            name, _, item = line.partition("=")
            section[name.strip()] = item.strip()
    return tree if tree else None


def read(path):
    if not os.path.exists(path):
        return NOTHING
    with open(path) as file:
        text = file.read()
    tree = read_ini(text) if path.endswith(".ini") else json.loads(text) if path.endswith(".json") and text else yaml.safe_load(text)
    # An empty file, or a comment alone.
    return NOTHING if tree is None else tree


def begin():
    """Makes the layers, in a directory that goes when the program ends."""
    directory = tempfile.mkdtemp(prefix="plyfs-contract.")
    atexit.register(shutil.rmtree, directory)
    os.chdir(directory)
    for layer in LAYERS:
        os.mkdir(layer)


def render(name, layers, rules):
    with open(f"{name}.yaml", "w") as file:
        file.write(f"layers: [{', '.join(layers)}]\noptions: {{header: false}}\nrules:\n" + "".join(rules))
    run("render", "-c", f"{name}.yaml", name)


def complaints(name):
    """Returns the files of which check complains."""
    found = json.loads(run("check", "--json", "-c", f"{name}.yaml").stdout)["findings"]
    return {entry["path"] for entry in found if entry["kind"] == "error"}
