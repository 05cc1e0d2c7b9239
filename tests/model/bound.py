#!/usr/bin/python3
"""Checks the contract of bounds, on random layers, in every strategy that gives trees.

    bound.py PLYFS [FILES [SEED]]

`plyfs render` of one layer alone gives the values that the layer itself has. At each bounded place the merged file
must hold what the bound makes of these values, computed here as naively as possible; every other place must hold what
the merge without bounds has. This script decides, too, which values are attempts to loosen, so that `plyfs check` must
complain, and which don't fit their bound, so that the file must not merge. Skipped (77) if PyYAML is missing.
"""

import json
import os
import sys

import contract
from contract import LAYERS, NOTHING, RULES, count, every_path, get, matches, read, render, rng, seed

SCALE = ["strict", "mid", "lax"]
# The bounds, with the key that usually has a value for them.
BOUNDS = {"union": "deny", "intersect": "allow", "max": "n", "min": "m", "at_most": "mode", "and": "on", "or": "off"}
TAGGED = ("!replace", "!delete")


# ---- Random layers. A tag is noted by the path of its value.

def fitting(key):
    if key in ("deny", "allow"):
        return [rng.choice(["a", "b", "c", "d", 1]) for _ in range(rng.randint(0, 3))]
    if key in ("n", "m"):
        return rng.choice([1, 2, 3, 2.5, -1, 0, 12345678901234567890, 12345678901234567891])
    return rng.choice(SCALE) if key == "mode" else rng.random() < 0.5


def value(key):
    roll = rng.random()
    if roll < 0.04:
        return None
    return rng.choice([{}, [], "text", {"deny": ["a"]}]) if roll < 0.07 else fitting(key)


def entries():
    return {key: value(key) for key in BOUNDS.values() if rng.random() < 0.35}


def document():
    tree = {}
    for name in ("p", "q", "r"):
        roll = rng.random()
        if roll < 0.7:
            tree[name] = entries()
        elif roll < 0.76:
            tree[name] = rng.choice([None, "text", [], [entries()]])
    if rng.random() < 0.3:
        tree.setdefault("p", {})
        if isinstance(tree["p"], dict):
            tree["p"]["in"] = entries()
    return tree


def text_of(kind, tree, tags, path=()):
    """Writes the tree as JSON, with random tags before values, which `tags` notes."""
    tag = ""
    if kind in ("deep", "deep-append") and path and rng.random() < 0.06:
        tag = rng.choice(["!replace ", "!delete "])
        tags[path] = tag.strip()
    if isinstance(tree, dict):
        # Below a deleted value nothing counts.
        pairs = [f"{json.dumps(key)}: {text_of(kind, child, tags, path + (key,))}" for key, child in tree.items()]
        return tag + "{" + ", ".join(pairs) + "}"
    if isinstance(tree, list):
        return tag + "[" + ", ".join(text_of("", child, tags, path + (i,)) for i, child in enumerate(tree)) + "]"
    return tag + json.dumps(tree)


# ---- The contract, naively

def same(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    number = (int, float)
    if type(one) in number and type(other) in number:
        return one == other
    return type(one) is type(other) and one == other


def has(items, item):
    return any(same(item, other) for other in items)


def fits(bound, given):
    if bound in ("union", "intersect"):
        return isinstance(given, list)
    if bound in ("max", "min"):
        return type(given) in (int, float)
    return given in SCALE if bound == "at_most" and isinstance(given, str) else bound in ("and", "or") and type(given) is bool


def cut(own, tags, path):
    """Whether the source removes what lower ones have at the path: by a tag, or another kind on the way."""
    if any(tags.get(path[:i]) in TAGGED for i in range(len(path) + 1)):
        return True
    for i in range(len(path)):
        around = get(own, path[:i])
        if around is not NOTHING and not isinstance(around, dict if isinstance(path[i], str) else list):
            return True
    return False


def is_crowded_out(path, bounded, sources):
    """Whether a map and a list on the way both lead to bounded values, and the path is in that of a higher source."""
    for i in range(len(path)):
        kinds = [type(other[i]) for other in bounded if len(other) > i and other[:i] == path[:i]
                 and any(get(own, other) not in (NOTHING, None) for own, _ in sources)]
        around = [get(own, path[:i]) for own, _ in sources]
        lowest = [int if isinstance(value, list) else str for value in around if isinstance(value, (dict, list))][0]
        if lowest in kinds and not isinstance(path[i], lowest):
            return True
    return False


class Unfit(Exception):
    pass


def fold(bound, sources, path):
    """Returns the bounded value and the number of attempts. `sources`: (own values, tags), lowest first."""
    stands, attempts, lists = NOTHING, 0, []
    for own, tags in sources:
        given = get(own, path)
        if given is NOTHING or given is None:
            attempts += stands is not NOTHING and (given is None or cut(own, tags, path))
            continue
        if not fits(bound, given):
            if bound not in ("union", "intersect") or stands is NOTHING:
                raise Unfit
            attempts += 1
            continue
        if stands is NOTHING:
            stands = given
            if isinstance(given, list):
                stands = [item for i, item in enumerate(given) if not has(given[:i], item)]
        elif bound == "union":
            missing = [item for item in stands if not has(given, item)]
            more = [item for item in given if not has(stands, item)]
            attempts += bool(missing) and (not more or cut(own, tags, path))
            for item in more:
                if not has(stands, item):
                    stands.append(item)
        elif bound == "intersect":
            attempts += sum(not all(has(lower, item) for lower in lists) for item in given)
            stands = [item for item in stands if has(given, item)]
        else:
            looseness = {"max": lambda x: -x, "min": lambda x: x, "at_most": SCALE.index, "and": int, "or": lambda x: not x}
            attempts += looseness[bound](given) > looseness[bound](stands)
            stands = min(stands, given, key=looseness[bound])
        lists.append(given)
    return stands, attempts


class File:
    def __init__(self, number):
        self.kind = rng.choice(list(RULES))
        self.name = f"{number}.{'json' if self.kind == 'json' else 'yaml'}"
        self.bounds = {}
        for bound in rng.sample(list(BOUNDS), rng.randint(1, 4)):
            self.bounds[rng.choice(["p.", "q.", "*.", "**.", "*.in.", "*.0."]) + BOUNDS[bound]] = bound
        self.tags = {}
        for layer in LAYERS:
            self.tags[layer] = {}
            if rng.random() < 0.8:
                text = text_of(self.kind, document(), self.tags[layer])
                with open(os.path.join(layer, self.name), "w") as file:
                    file.write(("#cloud-config\n" if self.kind == "cloud-init" else "") + text + "\n")

    def rule(self, is_bounded):
        bounds = {place: {"at_most": SCALE} if bound == "at_most" else bound for place, bound in self.bounds.items()}
        return f"- {{match: {self.name}, {RULES[self.kind]}" + (f", bounds: {json.dumps(bounds)}" if is_bounded else "") + "}\n"


def breaches(file, sources, result, plain, has_failed, complains):
    """Returns what is wrong with the file, and whether something was attempted."""
    wrong, bounded, attempts = [], {}, 0
    for path in {path for own, _ in sources for path in every_path(own)}:
        for place, bound in file.bounds.items():
            if matches(place.split("."), path):
                bounded[path] = bound
    bounded = {path: bound for path, bound in bounded.items() if not any(path[:i] in bounded for i in range(len(path)))}
    bounded = {path: bound for path, bound in bounded.items() if not is_crowded_out(path, bounded, sources)}
    try:
        for path, bound in bounded.items():
            expected, more = fold(bound, sources, path)
            attempts += more
            if expected is NOTHING:
                expected = get(plain, path)
            if not same(get(result, path), expected):
                wrong.append((bound, path, expected))
    except Unfit:
        return ([] if has_failed else ["a value that does not fit is no error"]), False
    if has_failed:
        return ["it does not merge"], False
    if bool(attempts) != complains:
        wrong.append(f"check {'complains' if complains else 'says nothing'} of {attempts} attempts")
    near = set(bounded) | {path[:i] for path in bounded for i in range(len(path))}
    for path in set(every_path(plain)) | set(every_path(result)):
        is_near = path in near or any(path[:i] in bounded for i in range(len(path)))
        is_moved = any(type(get(plain, path[:i])) is not type(get(result, path[:i])) for i in range(len(path)))
        if not is_near and not is_moved and not any(isinstance(step, int) for step in path):
            if not same(get(plain, path), get(result, path)):
                wrong.append(("not bounded", path))
    return wrong, bool(attempts)


def main():
    contract.begin()
    files = [File(number) for number in range(count)]
    free = [file.rule(False) for file in files]
    render("all", LAYERS, free)
    broken = contract.complaints("all")
    for layer in LAYERS:
        render("only-" + layer, [layer], free)
        broken |= contract.complaints("only-" + layer)
    render("bounded", LAYERS, [file.rule(True) for file in files])
    complaints = contract.complaints("bounded")
    failed = tested = kept = unfit = 0
    for file in files:
        sources = [(read(f"only-{layer}/{file.name}"), file.tags[layer]) for layer in LAYERS
                   if os.path.exists(f"{layer}/{file.name}")]
        if file.name in broken or not sources:
            continue
        tested += 1
        result, plain = read(f"bounded/{file.name}"), read(f"all/{file.name}")
        has_failed = file.name in complaints and not os.path.exists(f"bounded/{file.name}")
        wrong, has_attempts = breaches(file, sources, result, plain, has_failed, file.name in complaints)
        kept += has_attempts
        unfit += has_failed
        if wrong:
            failed += 1
            print(f"# seed {seed}, {file.kind} {file.name}: {wrong[:3]}\n#   rule {file.rule(True)}#   sources {sources}\n"
                  f"#   without {plain}\n#   with    {result}")
    print(f"{tested} of {count} files, {kept} with attempts, {unfit} with unfit values: {failed} broken contracts")
    return failed > 0 or tested < count / 2 or kept < count / 5 or unfit < count / 50


sys.exit(main())
