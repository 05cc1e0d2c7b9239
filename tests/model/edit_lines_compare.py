#!/usr/bin/python3
"""Edits random text of the formats that are made of lines, and compares the result with second readers.

    edit_lines_compare.py EDIT_DRIVER [COUNT [SEED [FORMAT]]]

EDIT_DRIVER is the program built from edit_driver.c; the readers are those of line_models.py. The laws: the result
reads as the wanted values; no byte outside of the splices changes; no comment line is lost except in a removed
section, and directly above or within a removed entry. Refused edits are counted, and too many of them fail.
"""

import copy
import json
import random
import re
import sys

from edit_driver import above_entries, check_undone, run, spliced
from line_models import FORMATS, Refused

DRIVER = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
ONLY = sys.argv[4] if len(sys.argv) > 4 else None
REFUSED_MAX = 0.02

TEXTS = ["new", "a b", "x=y", "a:b", "ä", "it's", '"q"', "", "x # y", "#x", "[z]", "a\\b", "a;b", "1", "a  b", "x y z",
         "a\\\\", "%d ${X}"]
# Values that a format may refuse; but if it accepts one, the text must have it.
HARD = {
    "ini": ["l1\nl2", "l1\n\nl2", None],
    "systemd": ["", "a\\"],
    "keyfile": [" x", "x "],
    "env": ["l1\nl2", "a\"b", "'", None, "tab\tx"],
    "properties": ["l1\nl2", " x", "=x", ":x", "\t", "x\\", "#"],
}
KEYS = {
    "ini": ["new", "a", "n w"], "systemd": ["New", "A", "N w"], "keyfile": ["new", "k", "k[fr]"],
    "env": ["NEW", "A", "N_2"], "properties": ["new", "a", "n w", "a:b", "#n", "n=", "ü"],
}
HAS_SECTIONS = {"ini", "systemd", "keyfile"}


def numbered(text):
    count = iter(range(10**6))
    return re.sub(r"(?m)^([ \t]*[#;!] ?c)(?=\W|$)", lambda m: f"{m[1]}{next(count)}", text)


def comments(name, text):
    """Returns the numbers of the lines that are comments."""
    found, goes_on = set(), False
    for line in re.split(r"\r\n|\r|\n", text):
        comment = re.match(r"[ \t]*[#;!] ?c(\d+)(?=\W|$)", line)
        if comment and not (goes_on and name == "properties"):
            found.add(comment[1])
        else:
            # A line of a backslash alone is no comment.
            goes_on = bool(re.search(r"(?<!\\)(\\\\)*\\$", line)) and (goes_on or line.strip() != "\\")
    return found


def new_value(chance, name):
    return chance.choice(HARD[name] if chance.random() < 0.25 else TEXTS)


def new_section(chance, name):
    return {key: new_value(chance, name) for key in chance.sample(KEYS[name], chance.randrange(1, 3))}


def key_op(chance, name, path, values):
    """Returns a change of one of the keys, or a new one."""
    if not values or chance.random() < 0.4:
        return "set", path + [chance.choice(KEYS[name])], new_value(chance, name)
    key = chance.choice(list(values))
    value = values[key]
    if isinstance(value, list) and chance.random() < 0.7:
        i = chance.randrange(len(value) + 1)
        kind = chance.choice(["insert", "set", "remove"]) if i < len(value) else "insert"
        if kind == "insert" and name == "systemd" and "" in value[i:]:
            i = len(value)  # a value before an empty one, which resets the list, is no value
        return kind, path + [key, i], None if kind == "remove" else chance.choice([t for t in TEXTS if t])
    if name == "systemd" and chance.random() < 0.3:
        return "set", path + [key], chance.choice([["m", "n"], ["m", "n", "o"], ["", "n"]])
    if chance.random() < 0.4:
        return "remove", path + [key], None
    return "set", path + [key], new_value(chance, name)


def make_op(chance, name, tree):
    if name not in HAS_SECTIONS:
        return key_op(chance, name, [], tree)
    kind = chance.random()
    sections = {key: value for key, value in tree.items()
                if isinstance(value, dict) or isinstance(value, list) and value and isinstance(value[0], dict)}
    if name == "ini" and kind < 0.2:
        return key_op(chance, name, [], {key: value for key, value in tree.items() if key not in sections})
    if kind < 0.3 or not sections:
        return "set", [chance.choice(["New", "N ew"])], new_section(chance, name)
    key = chance.choice(list(sections))
    value = sections[key]
    if isinstance(value, list):
        i = chance.randrange(len(value))
        if kind < 0.5:
            return "insert", [key, chance.randrange(len(value) + 1)], new_section(chance, name)
        if kind < 0.6 and len(value) > 1:
            return "remove", [key, i], None
        return key_op(chance, name, [key, i], value[i])
    if kind < 0.35:
        return "remove", [key], None
    if kind < 0.45:
        return "set", [key], {**dict(list(value.items())[::2]), **new_section(chance, name)}
    return key_op(chance, name, [key], value)


def plain(name, value):
    """Returns the value as the format reads it."""
    if name == "systemd" and isinstance(value, list) and not isinstance(value[0], dict):
        if "" in value:
            value = value[len(value) - 1 - value[::-1].index(""):]
        return value[0] if len(value) == 1 else value
    return value


def done(name, tree, op):
    kind, path, value = op
    tree = at = copy.deepcopy(tree)
    value = copy.deepcopy(value)
    if isinstance(value, dict):
        value = {key: plain(name, each) for key, each in value.items()}
    for step in path[:-1]:
        at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
    if kind == "remove":
        del at[path[-1]]
    elif kind == "insert":
        at.insert(path[-1], value)
    else:
        at[path[-1]] = plain(name, value)
    if isinstance(at, list):
        up = tree
        for step in path[:-2]:
            up = up[step]
        up[path[-2]] = plain(name, at)
    return tree


def read(name, text):
    # Only the model of properties knows lines that end with \r\n.
    return FORMATS[name][1](text if name == "properties" else text.replace("\r\n", "\n"))


def check(name, case, result):
    text, ops, wanted = case
    where = f"{name}, seed {SEED}:\n{text!r}\n{text}\n{ops}"
    if result[0] == "error":
        # A value that the format can't hold is reported before anything else.
        return "can't be changed" not in result[1]
    try:
        got = read(name, result[1])
    except LookupError:
        return True
    except Refused as reason:
        raise AssertionError(f"{where}\nis\n{result[1]!r}, which is refused: {reason!r}")
    assert got == wanted, f"{where}\nis\n{result[1]}\n{result[1]!r}\n{got}\n and not {wanted}"
    assert spliced(text, result[2]) == result[1], f"{where}\n{result}"
    lost = comments(name, text) - comments(name, result[1])
    takes_section = any(kind != "insert" and len(path) <= 2 and (len(path) == 1 or isinstance(path[1], int))
                        for kind, path, _ in ops) and name in HAS_SECTIONS
    if any(kind == "remove" for kind, _, _ in ops):
        lost -= comments(name, "\n".join(above_entries(text, "#;!", len(ops) == 1)))
    for kind, path, value in ops:
        key = [step for step in path if isinstance(step, str)][-1]
        # A value that stands in the place of several entries removes all but one of them.
        is_one_of_several = sum(line.strip().startswith(key) for line in re.split(r"\r\n|\r|\n", text)) > 1
        if kind == "remove" or isinstance(value, list) or (kind == "set" and is_one_of_several):
            lost -= comments(name, "\n".join(within_entries(text, key)))
    assert not lost or takes_section, f"{where}\nis\n{result[1]}\nwithout {lost}"
    return True


def is_new(tree, path):
    """Whether the path leads to no entry, in a map that exists."""
    for step in path[:-1]:
        if step not in (tree if isinstance(tree, dict) else range(len(tree))):
            return False
        tree = tree[step]
    return isinstance(tree, dict) and path[-1] not in tree


def within_entries(text, key):
    """Returns the comment lines between the continued lines of each entry that may have the key."""
    found, block, is_in, goes_on = [], [], False, False
    for line in re.split(r"\r\n|\r|\n", text):
        if line.strip().startswith(("#", ";")):
            block.append(line.strip())
            continue
        if is_in and not goes_on and not line.strip():
            continue  # an indented line below a blank one still continues the value
        if is_in and (goes_on or line[:1].isspace()):
            found += block
        else:
            is_in = line.strip().startswith(key)
        block, goes_on = [], line.endswith("\\")
    return found + block if is_in and goes_on else found


def compare(name, chance):
    document = FORMATS[name][0]
    cases, refused, errors = [], 0, 0
    while len(cases) < COUNT:
        text = numbered(document(chance))
        if chance.random() < 0.1:
            text = re.sub("(?<!\r)\n", "\r\n", text)
        try:
            tree = read(name, text)
        except (Refused, LookupError):
            continue
        ops = []
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            op = make_op(chance, name, tree)
            tree = done(name, tree, op)
            ops.append(op)
        cases.append((text, ops, tree))
    results = run(DRIVER, [{"format": name, "text": text, "ops": [
        {"kind": kind, "path": path, **({} if kind == "remove" else {"value": json.dumps(value)})}
        for kind, path, value in ops]} for text, ops, _ in cases])
    assert len(results) == len(cases)
    for case, result in zip(cases, results):
        errors += result[0] == "error"
        if not check(name, case, result):
            refused += 1
            if "-v" in sys.argv:
                print(f"REFUSED {name} {result[1]}\n{case[0]!r}\n{case[0]}\n{case[1]}\n=======")
    print(f"{name}: {len(cases)} edits, {errors - refused} of what it can't hold, {refused} more refused")
    assert refused <= len(cases) * REFUSED_MAX, refused
    check_undone(DRIVER, name, [(text, "set", path, value) for text, ops, _ in cases
                                for kind, path, value in ops[:1] if kind == "set" and is_new(read(name, text), path)])


print(f"seed {SEED}")
for name in FORMATS:
    if ONLY in (None, name):
        compare(name, random.Random(f"{name} {SEED}"))
