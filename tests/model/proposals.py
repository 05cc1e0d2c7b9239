#!/usr/bin/python3
"""Each command that explain proposes works: for the layers of every golden case, and the keys that explain prints. If
a value is gone, and no lock has removed it, then it is there again when it was taken back.

    proposals.py PLYFS CASES [COUNT [SEED]]

One key of each of COUNT cases is tried; by default, all keys of all cases. Skipped (77) if PyYAML is missing.
"""
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is missing")
    sys.exit(77)

PLYFS = os.path.abspath(sys.argv[1])
CASES = sys.argv[2]
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else None
CHOICE = random.Random(sys.argv[4] if len(sys.argv) > 4 else "1")
# These have the same names in a rule of plyfs.yaml.
SAME = ["strategy", "options", "lock"]


def run(directory, *arguments):
    return subprocess.run([PLYFS, *arguments], cwd=directory, capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
                          check=False)


def read_rule(case):
    """As tests/cases/case.h says."""
    name = os.path.basename(case)
    found = re.match("(?:should-fail-)?(salt|cfengine|cloud-init|pillar|last|first|concat|lines)-", name)
    rule = {"strategy": found[1]} if found else {}
    path = os.path.join(case, "rule.yaml")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            rule.update(yaml.safe_load(file) or {})
    return rule


def prepare(case, directory):
    """Makes a layer of each source, and a plyfs.yaml. Returns the name of the merged file; None: there is none."""
    rule = read_rule(case)
    sources = sorted(name for name in os.listdir(case) if not name.startswith("expect.") and name != "rule.yaml" and
                     os.path.isfile(os.path.join(case, name)))
    if not sources or "needs" in rule:
        return None
    ending = rule.get("to") or sources[-1].rsplit(".", 1)[-1]
    name = os.path.basename(rule.get("path") or f"app.{ending}")
    layers = []
    for rank, source in enumerate(sources):
        layer = re.sub(r"^\d+-", "", source.rsplit(".", 1)[0])
        layer = f"{layer}-{rank}" if any(other["name"] == layer for other in layers) else layer
        layers.append({"name": layer, "path": str(rank)})
        os.makedirs(os.path.join(directory, str(rank), f"{name}.d"))
        # Another format is that of a drop-in.
        own = source.rsplit(".", 1)[-1]
        target = name if own == name.rsplit(".", 1)[-1] else f"{name}.d/1.{own}"
        with open(os.path.join(case, source), "rb") as old, open(os.path.join(directory, str(rank), target), "wb") as new:
            new.write(old.read())
    made = {key: rule[key] for key in SAME if key in rule}
    made |= {"match": name, "dropins": "layers"}
    if "to" in rule:
        made["format"] = rule["to"]
    if "schema" in rule:
        made["yaml"] = rule["schema"]
    with open(os.path.join(directory, "plyfs.yaml"), "w", encoding="utf-8") as file:
        json.dump({"layers": layers, "rules": [made], "options": {"header": False}}, file)
    return name


def keys_of(directory, name):
    explained = run(directory, "explain", "--json", "-c", "plyfs.yaml", name)
    if explained.returncode:
        return []
    values = json.loads(explained.stdout).get("values", [])
    keys = [removed["key"] for value in values for removed in [value, *value.get("removed", [])] if "key" in removed]
    # A key that is a map or a list has no KEY.
    return [key for key in keys if "[?]" not in key]


def try_command(directory, line, values):
    """Returns what the command says if it fails with each of the values."""
    for value in values:
        words = shlex.split(line)[1:]
        # Before the arguments there are only options with a word.
        at = next(i for i in range(1, len(words), 2) if words[i] not in ("-c", "-l", "-L"))
        arguments = [value if word == "VALUE" else word for word in words[at:] if word != "--"]
        done = run(directory, words[0], "-n", *words[1:at], "--", *arguments)
        if done.returncode == 0:
            return None
    return done.stderr.decode(errors="replace")


def is_there_again(directory, line, name, key):
    """Runs the command on a copy of the layers."""
    with tempfile.TemporaryDirectory() as top:
        copy = shutil.copytree(directory, os.path.join(top, "copy"))
        done = run(copy, *shlex.split(line)[1:])
        return done.returncode == 0 and run(copy, "get", "-c", "plyfs.yaml", name, key).returncode == 0


def check_key(directory, name, key):
    explained = run(directory, "explain", "-c", "plyfs.yaml", name, key)
    if explained.returncode:
        says = explained.stderr.decode(errors="replace")
        # A name with a dot may stand beside a path of the same characters: the error gives a KEY for each.
        several = re.search(r" fits \d+ values; write (.*)", says)
        if not several:
            yield f"explain {key!r}: {says}"
            return
        for each in re.split(", | or ", several[1]):
            yield from check_key(directory, name, each)
        return
    there = run(directory, "get", "--json", "-c", "plyfs.yaml", name, key)
    for line in explained.stdout.decode().splitlines():
        what, _, command = line.partition(": ")
        if what not in ("change it", "take it back"):
            continue
        values = ["x", "1", "[x]", "{x: 1}"]
        if there.returncode == 0:
            values.append(there.stdout.decode().strip())
        says = try_command(directory, command, values if command.startswith("plyfs set") else ["-"])
        if says is not None:
            yield f"{command}: {says}"
        elif what == "take it back" and there.returncode and "locked by" not in explained.stdout.decode() and \
                not is_there_again(directory, command, name, key):
            yield f"{command}: the value is still gone\n{explained.stdout.decode()}"


def main():
    faults = tried = 0
    cases = sorted(case for case in os.listdir(CASES) if os.path.isdir(os.path.join(CASES, case)))
    if COUNT:
        CHOICE.shuffle(cases)
    with tempfile.TemporaryDirectory() as top:
        for case in cases:
            directory = os.path.join(top, case)
            os.mkdir(directory)
            name = prepare(os.path.join(CASES, case), directory)
            keys = keys_of(directory, name) if name else []
            if COUNT and keys:
                keys = [CHOICE.choice(keys)]
            for key in keys:
                tried += 1
                for fault in check_key(directory, name, key):
                    faults += 1
                    print(f"{case}: {fault}")
            if tried == COUNT:
                break
    print(f"{tried} keys, {faults} faults")
    sys.exit(faults > 0)


main()
