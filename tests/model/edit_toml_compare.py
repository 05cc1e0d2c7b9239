#!/usr/bin/python3
"""Edits random TOML documents at random, and compares the result with tomli's reading of it.

    edit_toml_compare.py EDIT_DRIVER [COUNT [SEED]]

EDIT_DRIVER is the program built from edit_driver.c. The laws: the resulting tree is the wanted one, typed; no byte
outside of the splices changes; no comment is lost except those of removed values and directly above them. Each comment in a document names
what it belongs to. Refused edits are counted, and too many of them fail. Skipped (77) if tomli is missing.
"""

import copy
import json
import random
import sys

from edit_driver import above_entries, check_undone, run, spliced

try:
    import tomllib as tomli
except ImportError:
    try:
        import tomli
    except ImportError as error:
        print("skipped:", error)
        sys.exit(77)

DRIVER = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
REFUSED_MAX = 0.01
KEYS = ["a", "b", "c", "d", "e-1", '"x y"', "'q.r'", '"a"', "ports", "k_2"]
SCALARS = ["1", "-7", "0x1F", "1_000", "3.5", "1e3", "inf", "nan", "true", "false", '"s"', "'it\"s'", '"t\\n\\u00e4"',
           '"#no comment"', "'[no header]'", '"a,b"', '"""\nm1\n  m2"""', "'''\nl1\n# no comment\nl2'''",
           '"""x \\\n   y"""', "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.5",
           '"" ', '"ä ü"']
NEW = ["new", "two words", "it's", 'say "x"', "line\nbreak", "", "ä", "back\\slash", "tab\there", "a\u0001b", "'''\"\"\"", 1, -5,
       2.5, True, False, 10**12, [], [1, 2], ["a", "b'c"], [[1], ["x"]], {}, {"n": 1}, {"n": {"m": "x"}, "o": [1]},
       [{"n": 1}, {"n": 2, "m": "y"}], [{"n": [{"o": 1}]}], [1, {"x": 2}], {"w x": 1, "l": [{"q": 1}]},
       ["a long text that takes a good part of the line", "and another long one that takes the rest of it"]]


class Maker:
    """Makes a document line by line, without lines that tomli refuses."""

    def __init__(self, chance):
        self.chance = chance
        self.text = ""
        self.where = []  # the path of the section
        self.count = 0

    def comment(self, kind, path):
        self.count += 1
        return "# " + json.dumps([self.count, kind, path])

    def key(self):
        return self.chance.choice(KEYS)

    def plain(self, key):
        return key.strip("\"'")

    def value(self, path, depth, inline):
        chance = self.chance
        kind = chance.random()
        if depth > 2 or kind < 0.6:
            return chance.choice([s for s in SCALARS if not inline or "\n" not in s])
        if kind < 0.85:
            items = [self.value(path, depth + 1, inline) for _ in range(chance.randrange(4))]
            if inline or chance.random() < 0.5:
                pad = chance.choice(["", " "])
                tail = chance.choice(["", ",", " ,"]) if items else ""
                return "[" + pad + chance.choice([", ", ",", " , "]).join(items) + tail + pad + "]"
            return self.long_list(path, items)
        pairs, names = [], set()
        for _ in range(chance.randrange(4)):
            key = self.key()
            if self.plain(key) in names:
                continue
            names.add(self.plain(key))
            if chance.random() < 0.2:
                key += chance.choice([".", " . "]) + self.key()
            pairs.append(key + chance.choice([" = ", "="]) + self.value(path, depth + 1, True))
        pad = chance.choice(["", " "])
        return "{" + pad + chance.choice([", ", ","]).join(pairs) + pad + "}"

    def long_list(self, path, items):
        chance = self.chance
        text, indent = "[", chance.choice(["", "  ", "    ", "\t"])
        style = chance.random()
        if chance.random() < 0.3:
            text += " " + self.comment("in", path)
        for i, item in enumerate(items):
            if style < 0.8 or i == 0:
                text += "\n" + indent
            if chance.random() < 0.2:
                text += self.comment("in", path) + "\n" + indent
            if style > 0.9 and i:
                text = text.rstrip(" \t") + "\n" + indent + ", " + item
                continue
            text += item
            if (i + 1 < len(items) or chance.random() < 0.5) and style <= 0.9:
                text += ","
            if chance.random() < 0.3:
                text += "  " + self.comment("in", path) + "\n" + indent
        return text + "\n" + chance.choice(["", indent]) + "]"

    def line(self):
        chance = self.chance
        kind = chance.random()
        where = self.where
        indent = chance.choice(["", "", "", "  ", "\t"])
        if kind < 0.15:
            return chance.choice(["", "", "  "]), where
        if kind < 0.3:
            return indent + self.comment("line", where), where
        if kind < 0.5:
            names = [self.key() for _ in range(chance.choice([1, 1, 2, 3]))]
            is_list = chance.random() < 0.4
            path = self.resolve([self.plain(n) for n in names], is_list)
            if path is None:
                return None
            pad = chance.choice(["", "", " "])
            text = indent + ("[[" if is_list else "[") + pad + chance.choice([".", ".", " . "]).join(names) + pad + (
                "]]" if is_list else "]")
            if chance.random() < 0.3:
                text += " " + self.comment("own", path)
            return text, path
        names = [self.key() for _ in range(chance.choice([1, 1, 1, 2, 3]))]
        path = where + [self.plain(n) for n in names]
        text = indent + chance.choice([".", ".", " . "]).join(names) + chance.choice([" = ", " = ", "=", "  =  "])
        text += self.value(path, 0, False)
        if chance.random() < 0.3:
            text += chance.choice([" ", "", "\t"]) + self.comment("own", path)
        return text, where

    def resolve(self, names, is_list):
        """Returns the path of a header, with the indexes of lists."""
        tree, path = tomli.loads(self.text), []
        for i, name in enumerate(names):
            path.append(name)
            tree = tree.get(name, {}) if isinstance(tree, dict) else {}
            if isinstance(tree, list):
                if i + 1 < len(names) or is_list:
                    path.append(len(tree) if i + 1 == len(names) else len(tree) - 1)
                    tree = tree[-1] if tree else {}
                else:
                    return None
            elif is_list and i + 1 == len(names):
                path.append(0)
        return path

    def make(self):
        for _ in range(self.chance.randrange(1, 16)):
            made = self.line()
            if not made:
                continue
            try:
                tomli.loads(self.text + made[0] + "\n")
            except tomli.TOMLDecodeError:
                continue
            self.text += made[0] + "\n"
            self.where = made[1]
        text = self.text
        if self.chance.random() < 0.2:
            text = text[:-1]
        if self.chance.random() < 0.15:
            text = text.replace("\n", "\r\n")
        if self.chance.random() < 0.1:
            text = "\ufeff" + text
        return text


def read(text):
    return tomli.loads(text.removeprefix("\ufeff"))


def places(tree, path=()):
    yield list(path), tree
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else []:
        yield from places(value, (*path, key))


def is_dict(value):
    return isinstance(value, dict)


def is_json(value):
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def make_op(chance, tree):
    path, value = chance.choice(list(places(tree)))
    kind = chance.random()
    new = copy.deepcopy(chance.choice(NEW))
    if isinstance(value, list) and kind < 0.5:
        if value and all(map(is_dict, value)):
            new = {"n": new}  # a list of tables would have to become one of values, with all its comments
        return "insert", path + [chance.randrange(len(value) + 1)], new
    if is_dict(value) and kind < 0.6:
        names = chance.choice([["new"], ["new"], ["a"], ["x y"], ["new", "er"], ["n", "e", "w"]])
        return "set", path + names, new
    if not path:
        return "set", ["a"], new
    if kind < 0.8:
        if isinstance(value, list) and value and chance.random() < 0.7:
            new = copy.deepcopy(value)
            for _ in range(chance.randrange(1, 3)):
                if new and chance.random() < 0.5:
                    del new[chance.randrange(len(new))]
                else:
                    new.insert(chance.randrange(len(new) + 1), chance.choice([7, "n"]))
            if not is_json(new):
                new = 5
        return "set", path, new
    return "remove", path, None


class Nowhere(Exception):
    pass


def done(tree, op):
    """Returns the tree with the op done to it."""
    kind, path, value = op
    tree = at = copy.deepcopy(tree)
    for step in path[:-1]:
        if is_dict(at):
            at = at.setdefault(step, {})
        elif isinstance(at, list) and isinstance(step, int):
            at = at[step]
        else:
            raise Nowhere
    if not isinstance(at, list if isinstance(path[-1], int) else dict):
        raise Nowhere
    if kind == "remove":
        del at[path[-1]]
    elif kind == "insert":
        if path[-1] > len(at):
            raise Nowhere
        at.insert(path[-1], value)
    else:
        at[path[-1]] = value
    return tree


def typed(value):
    if is_dict(value):
        return {key: typed(each) for key, each in sorted(value.items())}
    if isinstance(value, list):
        return [typed(each) for each in value]
    return [type(value).__name__, repr(value)]


def comments(text):
    return [line[line.index("# ["):].strip() for line in text.splitlines() if "# [" in line]


def follow(tree, path):
    for step in path:
        if not (is_dict(tree) and step in tree or isinstance(tree, list) and isinstance(step, int) and step < len(tree)):
            return None
        tree = tree[step]
    return tree


def is_gone(comment, op, was, is_only):
    """Whether a comment may be lost: its place is removed by the op, or is inside of a removed value."""
    kind, path, _ = op
    _, what, where = json.loads(comment[2:])
    at = follow(was, path)
    if not is_only:
        # Another op may have moved items of lists.
        path, where = ([0 if isinstance(step, int) else step for step in steps] for steps in (path, where))
    if kind == "insert":
        return False
    if what == "in" and where == path[:len(where)]:
        # The comment of an item on its line; or one inside of the item, which another op may have moved.
        return kind == "remove" or not is_only or isinstance(at, (dict, list))
    if what == "own" and where == path and kind == "set":
        return isinstance(at, (dict, list))
    return where[:len(path)] == path


def check(case, result):
    text, ops, was, wanted = case
    where = f"seed {SEED}:\n{text}\n{ops}"
    if result[0] == "error":
        assert "can't be changed" in result[1] or "control" in result[1], f"{where}\n{result[1]}"
        return False
    try:
        got = read(result[1])
    except ValueError as error:
        raise AssertionError(f"{where}\nis\n{result[1]}\nwhich can't be read: {error}") from error
    assert typed(got) == typed(wanted), f"{where}\nis\n{result[1]}\n{got}\n and not {wanted}"
    assert spliced(text, result[2]) == result[1], f"{where}\n{result}"
    lost = set(comments(text)) - set(comments(result[1]))
    if any(kind == "remove" or isinstance(follow(was, path), (dict, list)) for kind, path, _ in ops):
        lost -= set(above_entries(text, "#", len(ops) == 1))
    for comment in lost:
        assert any(is_gone(comment, op, was, len(ops) == 1) for op in ops), f"{where}\nis\n{result[1]}\nwithout {comment}"
    assert ("\r\n" in text) == ("\r\n" in result[1]) or "\n" not in text.replace("\r\n", "") or not result[1], where
    return True


def adds(was, op):
    """Whether the op adds an entry, and nothing on the way to it."""
    kind, path, _ = op
    return kind == "insert" or kind == "set" and is_dict(follow(was, path[:-1])) and follow(was, path) is None


def main():
    chance = random.Random(f"toml {SEED}")
    cases, refused = [], 0
    while len(cases) < COUNT:
        text = Maker(chance).make()
        was = tree = read(text)
        ops = []
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            op = make_op(chance, tree)
            try:
                tree = done(tree, op)
            except (Nowhere, KeyError, IndexError):
                continue
            ops.append(op)
        cases.append((text, ops, was, tree))
    results = run(DRIVER, [{"format": "toml", "text": text, "ops": [
        {"kind": kind, "path": path, **({} if kind == "remove" else {"value": json.dumps(value)})}
        for kind, path, value in ops]} for text, ops, _, _ in cases])
    assert len(results) == len(cases)
    for case, result in zip(cases, results):
        if not check(case, result):
            refused += 1
            if "-v" in sys.argv:
                print(f"REFUSED {result[1]}\n{case[0]}\n{case[1]}\n=======")
    print(f"toml: {len(cases)} edits, {refused} of them refused")
    assert refused <= len(cases) * REFUSED_MAX, refused
    check_undone(DRIVER, "toml", [(text, *ops[0]) for text, ops, was, _ in cases if ops and adds(was, ops[0])])


print(f"seed {SEED}")
main()
