#!/usr/bin/python3
"""Checks the contract of locks, on random layers, in every strategy that gives trees.

    lock.py PLYFS [FILES [SEED]]

Let L be the merge, by the same rule, of the layers up to and including the locking one, and R the merge of all
layers. At each locked place R holds exactly what L holds (also: nothing). `plyfs render` of layers without locks
makes L and the merge without a lock. This script decides whether the contract holds, and whether `plyfs check`
must complain. Skipped (77) if PyYAML is missing.
"""

import json
import os
import re
import sys

import contract
from contract import LAYERS, NOTHING, count, every_path, get, matches, read, render, rng, seed

KINDS = ["deep", "deep", "deep-append", "deep-by", "salt", "salt-level", "cfengine", "cloud-init", "pillar", "json", "ini"]


# ---- Random layers

def scalar(kind):
    if kind == "ini":
        return rng.choice(["1", "x", "y y"])
    return rng.choice([0, 1, 1.0, 2, True, False, None, "1", "x", "y", ""])


def value(kind, depth):
    roll = rng.random()
    if kind == "ini" or depth == 0 or roll < 0.45:
        return scalar(kind)
    if roll < 0.65:
        items = [value(kind, depth - 1) for _ in range(rng.randint(0, 3))]
        if kind == "deep-by":
            items = [{"name": rng.choice("mn"), "a": scalar(kind)} for _ in items]
            items = list({item["name"]: item for item in items}.values())
        return items
    return {rng.choice(["a", "b", "c.d", "0"]): value(kind, depth - 1) for _ in range(rng.randint(0, 3))}


def document(kind):
    tree = {rng.choice("abc"): value(kind, 3) for _ in range(rng.randint(0, 3))}
    if kind == "ini":
        return {rng.choice("ab"): {rng.choice("abc"): scalar(kind) for _ in range(rng.randint(1, 3))} for _ in range(2)}
    if kind == "pillar" and rng.random() < 0.3:
        tree["_merge"] = ["inc"]
    return tree


def as_text(kind, tree):
    if kind == "ini":
        return "".join(f"[{name}]\n" + "".join(f"{k}={v}\n" for k, v in section.items())
                       for name, section in tree.items())
    # JSON is YAML; tags stand before values.
    text = json.dumps(tree)
    if kind.startswith("deep") and rng.random() < 0.5:
        tag = rng.choice(["!replace", "!append", "!delete"])
        spots = [match.end() for match in re.finditer(r'": ', text)]
        if spots:
            spot = rng.choice(spots)
            if tag == "!append" and text[spot] != "[":
                tag = "!replace"
            if tag != "!delete":
                text = text[:spot] + tag + " " + text[spot:]
            elif text[spot] not in "[{":
                text = text[:spot] + re.sub(r'^("[^"]*"|[^,}\]]*)', "!delete ", text[spot:])
    if kind.startswith("salt") and rng.random() < 0.4:
        spots = [match.end() - 1 for match in re.finditer(r'": \[', text)]
        if spots:
            spot = rng.choice(spots)
            text = text[:spot] + "!aggr-seq " + text[spot:]
    return ("#cloud-config\n" if kind == "cloud-init" else "") + text + "\n"


RULES = {**contract.RULES, "deep-by": "strategy: deep, options: {lists: {\"*\": {by: name}}}", "ini": "strategy: deep"}


def pattern():
    words = [rng.choice(["a", "b", "c", "c.d", "0", "1", "*", "**", "a", "b", "name"])
             for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    return words


def pattern_text(words):
    return ".".join(word if set(word) == {"*"} else word.replace(".", "\\.") for word in words)


# ---- The locked places, naively

def same(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one is other or one == other


def locked_paths(patterns, *trees):
    return {path for tree in trees for path in every_path(tree) if any(matches(words, path) for words in patterns)}


def breaches(locks, lower, result, unlocked):
    """Returns the locked places at which the result is wrong; lower locks win."""
    taken, found = set(), []
    for layer in sorted(locks, key=LAYERS.index):
        paths = locked_paths(locks[layer], lower[layer], result)
        for path in sorted(paths, key=repr):
            if any(path[:len(other)] == other[:len(path)] for other in taken):
                continue
            if not same(get(lower[layer], path), get(result, path)):
                found.append((layer, path))
        taken |= locked_paths(locks[layer], *lower.values(), result, unlocked)
    return found


class File:
    def __init__(self, number):
        self.kind = rng.choice(KINDS)
        ending = {"json": "json", "ini": "ini"}.get(self.kind, "yaml")
        self.name = f"{number}.{ending}"
        self.locks = {layer: [pattern() for _ in range(rng.randint(1, 2))]
                      for layer in rng.sample(LAYERS[:3], rng.choice([1, 1, 1, 2]))}
        for layer in LAYERS:
            if rng.random() < 0.8:
                with open(os.path.join(layer, self.name), "w") as file:
                    file.write(as_text(self.kind, document(self.kind)))

    def rule(self, is_locked):
        lock = {layer: [pattern_text(words) for words in places] for layer, places in self.locks.items()}
        return f"- {{match: {self.name}, {RULES[self.kind]}" + (f", lock: {json.dumps(lock)}" if is_locked else "") + "}\n"


def main():
    contract.begin()
    for layer in LAYERS:
        with open(os.path.join(layer, "inc.yaml"), "w") as file:
            file.write(as_text("salt-level", document("deep")).replace("!aggr-seq ", ""))
    files = [File(number) for number in range(count)]
    free = [file.rule(False) for file in files]
    render("locked", LAYERS, [file.rule(True) for file in files])
    render("all", LAYERS, free)
    for i, layer in enumerate(LAYERS):
        render("up-to-" + layer, LAYERS[:i + 1], free)
    complaints, broken = contract.complaints("locked"), contract.complaints("all")
    failed = tested = kept = 0
    for file in files:
        if file.name in broken or any(
                not os.path.exists(f"up-to-{layer}/{file.name}")
                and any(os.path.exists(f"{low}/{file.name}") for low in LAYERS[:LAYERS.index(layer) + 1])
                for layer in file.locks):
            continue
        tested += 1
        lower = {layer: read(f"up-to-{layer}/{file.name}") for layer in LAYERS}
        result, unlocked = read(f"locked/{file.name}"), read(f"all/{file.name}")
        wrong = breaches(file.locks, lower, result, unlocked)
        attempted = breaches(file.locks, lower, unlocked, unlocked)
        kept += bool(attempted)
        if not attempted and not same(result, unlocked):
            wrong.append("nothing was attempted, and something has changed")
        if bool(attempted) != (file.name in complaints):
            wrong.append(f"check {'complains' if file.name in complaints else 'says nothing'}")
        if isinstance(unlocked, dict) and isinstance(result, dict):
            heads = {words[0] for places in file.locks.values() for words in places}
            if not heads & {"*", "**"}:
                wrong += [("not locked", key) for key in unlocked.keys() - heads
                          if not same(unlocked[key], result.get(key, NOTHING))]
        if wrong:
            failed += 1
            print(f"# seed {seed}, {file.kind} {file.name}: {wrong[:3]}\n#   rule {file.rule(True)}#   up to {lower}\n"
                  f"#   without {unlocked}\n#   with    {result}")
    print(f"{tested} of {count} files, {kept} with attempts: {failed} broken contracts")
    return failed > 0 or tested < count / 2 or kept < count / 5


sys.exit(main())
