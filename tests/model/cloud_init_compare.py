#!/usr/bin/python3
"""Compares the cloud-init strategy with cloud-init itself on random user data.

    cloud_init_compare.py BATCH [COUNT [SEED]]

BATCH is the program built from batch.c. Skipped (77) if cloud-init is not installed. The values must be the same,
with their types and the order of keys. If cloud-init fails at a part, or takes a string's characters for a list's
items, or a map's keys for those of a tuple, plyfs must report a problem. If it only skips something with a warning, that is a failure here. The script
does not generate options that no merger has: plyfs refuses them.
"""

import base64
import datetime
import json
import logging
import os
import random
import subprocess
import sys

try:
    import jsonpointer
    import yaml
    from cloudinit import handlers, helpers, mergers, safeyaml, user_data, util
    from cloudinit.handlers import cloud_config
    from cloudinit.mergers import m_list
except ImportError as error:
    print("skipped: cloud-init is not installed (%s)" % error)
    sys.exit(77)

logging.disable(logging.CRITICAL)

HAS_MIME = os.environ.get("WITHOUT_MIME") is None

KEYS = ["a", "b", "c", "users", "runcmd", "x-y", "1", "yes", "", "é", "name"]
ODD_KEYS = [1, 0, True, False, None, 1.0, 2, 1.5, 7]
WORDS = ["", "a", "foo", "yes", "null", "0644", "1.10", "a: b", "- x", "#x", "x #y", " lead", "tail ",
         "two\nlines", "two\nlines\n", "\nx", "tab\there", "é€😀", "~", "<<", "=", "2026-01-01", "1_000",
         "0x1F", "12:30:45", "'", '"', "\\", "%", "@at", "{", "[x]", "a,b", "!tag", "&a", "*a", "|", ">",
         "trailing:", "?", "-", ": x", "\x85", "\u2028", "x" * 90, "word " * 30]
# Texts as they are written: some that PyYAML refuses, and some that it reads beyond YAML 1.1's own grammar.
WRITTEN = ["2026-01-01 25:00:00", "2026-13-45 10:00:00", "2026-01-01T10:00:00+99:00", "2026-02-29", "2024-02-29",
           "2026-01-01 1:02:03.5 -7", "0000-01-01", "2026-01-01t23:59:59Z", "2026-01-01 10:00:00+23:59",
           "2026-01-01 10:00:00+23:60", "!!timestamp 2026-02-30", "!!timestamp 2026-1-2", "!!timestamp x",
           "!!binary aGVsbG8", "!!binary aGVsbG8=", "!!binary a", "!!binary ''", "!!binary aG-Vs=bG8", "!!binary =a",
           "!!binary aG=", "!!binary 'aG==aG'", "!!binary \u00e9", "0x_", "0b_", "-0x__", "0_", "0x_1", "0o17",
           "!!omap [a]", "!!omap [a: 1, b: 2]", "!!omap [{a: 1, b: 2}]", "!!pairs [a: 1, a: 2]", "!!pairs [[a]]", "[!!pairs [a: 1, a: {b: c}], {a: b}]", "!!omap [{a: [x]}, {b: y}]", "[{a: 1}, [b, c], text]", "[[{c: d}, [x, y], z], e]",
           "!!set {a, b}", "!!set [a]", "!!map []", "!!seq {}", "!!str 5", "!!python/unicode 5", "!!python/str 5",
           '!!int "0o17"', '!!int "1:60"', '!!int "0o8"', '!!int " 7 "', '!!int "-0b1_1"', '!!int "0x0x1F"', "!!int ''",
           '!!int "--5"', '!!int "1.5"', '!!int "1:"', '!!int "+0"', '!!int "_"', '!!int "0xg"', '!!int "08"',
           "!!float nan", '!!float "inf"', '!!float "-Infinity"', '!!float "1:90.5"', '!!float "1_0"', "!!float x",
           '!!float "0x1"', '!!float "1e5"', '!!float " .5 "', '!!float ".INF"', "!!float ''", '!!float "nan(1)"',
           "!!bool yEs", "!!bool 1", "!!bool oFF", "!!null x", "!x y", "! 5", "! '5'", "! 'a: b'", "! =", "=", "<<", "[<<]", "&n a", "*n",
           "{1: a, true: b, 1.0: c}", "{no: a, 0: b, -0.0: c, .0: d}", "{a: 1, b: 2, a: 3}", "{? [a] : b}",
           "{<<: {1: a, b: c}, yes: d}", "{<<: [{1: a}, {true: b}], c: d}", "{!!int 1: a, 1: b}"]
OPTIONS = ["append", "prepend", "replace", "no_replace", "allow_delete", "recurse_dict", "recurse_list",
           "recurse_array", "recurse_str"]
USUAL = {
    "dict": ["replace", "no_replace", "allow_delete", "recurse_list", "recurse_array", "recurse_str"],
    "list": ["append", "prepend", "replace", "no_replace", "recurse_list", "recurse_dict", "recurse_str"],
    "str": ["append"],
}


class Original:
    """Runs cloud-init as an instance does; notes what it only logs."""

    def __init__(self):
        self.failed = False
        self.spread = False
        self.handler = None
        paths = helpers.Paths({})
        self.paths = paths

        def failed(*_args, **_kwargs):
            self.failed = True

        util.logexc = failed
        load_yaml = util.load_yaml

        def load(blob, default=None, allowed=(dict,)):
            got = load_yaml(blob, default, allowed)
            if got is default:
                try:
                    self.empty = safeyaml.load(util.decode_binary(blob)) is None
                except Exception:
                    self.empty = False
            return got

        util.load_yaml = load

        def warning(_message, _name, error):
            if str(error) != "empty cloud config" or not self.empty:
                self.failed = True

        cloud_config.LOG = type("Log", (), {"debug": lambda *a: None, "warning": staticmethod(warning)})
        on_list = m_list.Merger._on_list

        def watched(this, value, merge_with):
            if isinstance(merge_with, str) and merge_with and this._method in ("append", "prepend"):
                self.spread = True
            return on_list(this, value, merge_with)

        m_list.Merger._on_list = watched
        on_tuple = m_list.Merger._on_tuple

        def watched_tuple(this, value, merge_with):
            if not isinstance(merge_with, (list, tuple)):
                self.spread = True
            return on_tuple(this, value, merge_with)

        m_list.Merger._on_tuple = watched_tuple
        get_part = jsonpointer.JsonPointer.get_part

        def watched_part(doc, part):
            if isinstance(doc, (str, bytes)):
                self.spread = True
            return get_part(doc, part)

        jsonpointer.JsonPointer.get_part = watched_part

    def start(self):
        self.failed = self.spread = self.empty = False
        self.handler = cloud_config.CloudConfigPartHandler(self.paths)
        self.handler.cloud_fn = None
        self.handler.handle_part(None, handlers.CONTENT_START, None, None, None, None)

    def merge(self, parts):
        """parts: (content type, text, headers)"""
        self.start()
        for i, (ctype, text, headers) in enumerate(parts):
            self.handler.handle_part(None, ctype, "part-%d" % i, text, None, headers)
            if self.failed:
                break
        return self.handler.cloud_buf

    def user_data(self, blobs):
        self.start()
        message = user_data.UserDataProcessor(self.paths).process(list(blobs))

        def each(_data, filename, payload, headers):
            if headers["Content-Type"] in self.handler.list_types() and not self.failed:
                self.handler.handle_part(None, headers["Content-Type"], filename, payload, None, headers)

        handlers.walk(message, each, None)
        return self.handler.cloud_buf


def scalar(r):
    kind = r.randrange(12)
    if kind < 4:
        return r.choice(WORDS)
    if kind < 6:
        return r.choice([0, 1, 2, -1, 420, 2**70, -(2**63)])
    if kind == 6:
        return r.choice([0.0, 1.0, 1.5, -2.25, 1e100, float("inf"), 1e-7])
    if kind < 9:
        return r.choice([True, False])
    if kind == 9:
        return r.choice([datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4, 5), b"bytes\x00", b""])
    return None


def key(r):
    return r.choice(ODD_KEYS) if r.random() < 0.08 else r.choice(KEYS[: r.choice([3, 5, len(KEYS)])])


def value(r, depth, shared):
    if shared and r.random() < 0.05:
        return r.choice(shared)
    kind = r.random()
    if depth <= 0 or kind < 0.35:
        return scalar(r)
    if kind < 0.6:
        made = [value(r, depth - 1, shared) for _ in range(r.randrange(4))]
    else:
        made = {key(r): value(r, depth - 1, shared) for _ in range(r.randrange(5))}
    if r.random() < 0.1:
        shared.append(made)
    return made


def config(r):
    shared = []
    return {key(r): value(r, 3, shared) for _ in range(r.randrange(7))}


def spaced(r, word):
    pad = ["", "", "", " ", "  ", "\t"]
    if r.random() < 0.1:
        word = word.upper()
    if r.random() < 0.1:
        word = word.replace("_", "-")
    return r.choice(pad) + word + r.choice(pad)


def options(r, name):
    pool = USUAL[name] if r.random() < 0.8 else OPTIONS
    return r.sample(pool, r.randrange(min(4, len(pool) + 1)))


def merge_how(r):
    names = r.sample(["dict", "list", "str"], r.choice([1, 2, 3, 3, 3]))
    if r.random() < 0.1:
        names.append(r.choice(names))
    if r.random() < 0.03:
        return r.choice(["list", "list(", "foo()", 5, True, [], "", "++", None,
                         {"name": "list", "settings": []}, ["list()"], [["list", "append"]], {}, [[]],
                         [{"name": "list"}], [{"settings": []}], "list (append)", "list(append\n)",
                         "list(a\n,b)", [{"name": "dict", "settings": "replace"}],
                         [{"name": "list", "settings": None}], "m_list(append)+m_dict(recurse_list)"])
    if r.random() < 0.3:
        how = []
        for name in names:
            settings = options(r, name)
            if r.random() < 0.1:
                settings = ",".join(settings)
            elif r.random() < 0.1:
                settings = {o: True for o in settings}
            if r.random() < 0.15 and isinstance(settings, list):
                how.append([name] + settings)
            else:
                how.append({"name": r.choice([name, " " + name, name + " "]), "settings": settings})
        return how
    text = "+".join(spaced(r, "%s(%s)" % (n, ",".join(spaced(r, o) for o in options(r, n)))) for n in names)
    return r.choice(["", "", "", " ", "+", "\n"]) + text + r.choice(["", "", "", "+", "  "])


def with_how(r, tree):
    if r.random() < 0.75:
        tree[r.choice(["merge_how", "merge_how", "merge_type"])] = merge_how(r)
    if r.random() < 0.05:
        tree["merge_type"] = merge_how(r)
    items = list(tree.items())
    r.shuffle(items)
    return dict(items)


def dump(r, tree):
    return r.choice(["#cloud-config\n", "#cloud-config\n\n# text\n", ""]) + yaml.safe_dump(
        tree, sort_keys=False, default_flow_style=r.choice([None, True, False]), allow_unicode=r.choice([True, False]),
        default_style=r.choice([None, None, None, "'", '"', "|"]), width=r.choice([20, 80, 1000]))


def pointer(r, tree, depth=3):
    path = ""
    while depth > 0:
        if isinstance(tree, dict) and tree and r.random() < 0.85:
            k = r.choice(list(tree))
            path += "/" + str(k).replace("~", "~0").replace("/", "~1")
            tree = tree[k]
        elif isinstance(tree, list) and tree and r.random() < 0.85:
            i = r.randrange(len(tree))
            path += "/%d" % i
            tree = tree[i]
        else:
            break
        depth -= 1
        if r.random() < 0.4:
            return path
    if r.random() < 0.5:
        path += r.choice(["/-", "/0", "/new", "/1", "/a", "/9", "/~1", "/01", "/ "])
    return path


def plain(v):
    """Returns the value as JSON has it."""
    if isinstance(v, dict):
        return {str(k): plain(x) for k, x in v.items()}
    if isinstance(v, list):
        return [plain(x) for x in v]
    if isinstance(v, float) and v in (float("inf"),):
        return 1.5
    return v if isinstance(v, (str, int, float, bool, type(None))) else str(v)


def patch(r, tree):
    ops = []
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        op = {"op": r.choice(["add", "add", "remove", "replace", "move", "copy", "test"]), "path": pointer(r, tree)}
        if op["op"] in ("add", "replace"):
            op["value"] = plain(value(r, 2, []))
        elif op["op"] == "test":
            op["value"] = plain(value(r, 1, []))
            if r.random() < 0.8:
                try:
                    op["value"] = plain(jsonpointer.resolve_pointer(tree, op["path"]))
                except Exception:
                    pass
        elif op["op"] in ("move", "copy"):
            op["from"] = pointer(r, tree)
        items = list(op.items())
        r.shuffle(items)
        ops.append(dict(items))
    return "#cloud-config-jsonp\n" + json.dumps(ops, indent=r.choice([None, 2]), ensure_ascii=r.choice([True, False]))


def canonical(v, path=()):
    if id(v) in path:
        return "cycle"
    if isinstance(v, dict):
        return ("dict", [(canonical(k), canonical(x, path + (id(v),))) for k, x in v.items()])
    if isinstance(v, (list, tuple)):
        return ("list", [canonical(x, path + (id(v),)) for x in v])
    if isinstance(v, set):
        return ("set", sorted(map(repr, v)))
    return (type(v).__name__, repr(v))


def difference(ours, theirs, path=""):
    """Returns where two canonical values differ first."""
    if ours[0] == theirs[0] == "dict" and [k for k, _ in ours[1]] == [k for k, _ in theirs[1]]:
        for (k, a), (_, b) in zip(ours[1], theirs[1]):
            if a != b:
                return difference(a, b, "%s/%s" % (path, k[1]))
    if ours[0] == theirs[0] == "list" and len(ours[1]) == len(theirs[1]):
        for i, (a, b) in enumerate(zip(ours[1], theirs[1])):
            if a != b:
                return difference(a, b, "%s/%d" % (path, i))
    return "at '%s': %s is not %s" % (path, ours, theirs)


class Case:
    """One merge: the request to plyfs, and cloud-init's result."""

    def __init__(self, original, got, texts, options=None):
        self.texts = texts
        self.options = options or {}
        self.must_fail = original.failed or original.spread
        # If a patch replaces everything by null, cloud-init writes no file.
        self.got = {} if got is None else got
        self.expected = canonical(self.got)

    def request(self):
        return {"strategy": "cloud-init", "options": self.options,
                "inputs": [["part-%d" % i, text] for i, text in enumerate(self.texts)]}

    def judge(self, kind, text):
        """Returns what is wrong with plyfs's answer, or None."""
        if self.must_fail:
            return None if kind == "error" else "cloud-init fails, and plyfs does not"
        if kind == "error":
            return "only plyfs has a problem"
        ours = canonical(safeyaml.load(text))
        return None if ours == self.expected else "values: " + difference(ours, self.expected)


def written(r):
    """A part as a person may write it; PyYAML may refuse it."""
    lines = ["%s: %s" % (name, r.choice(WRITTEN)) for name in r.sample(["a", "b", "c", "1"], r.randrange(1, 3))]
    return "#cloud-config\n" + "\n".join(lines) + "\n"


def binary(r, text):
    """A text as base64, in an archive."""
    return text.encode() if r.random() < 0.2 else text


def random_parts(r):
    parts, texts = [], []
    tree = {}
    for _ in range(r.choice([1, 2, 2, 3, 3, 4])):
        if parts and r.random() < 0.12:
            text = patch(r, tree)
            parts.append(("text/cloud-config-jsonp", text, {}))
        elif r.random() < 0.1:
            text = written(r)
            parts.append(("text/cloud-config", text, {}))
        else:
            tree = config(r)
            text = dump(r, with_how(r, dict(tree)))
            parts.append(("text/cloud-config", text, {}))
        texts.append(text)
    return parts, texts


def as_archive(r, parts):
    entries = []
    for ctype, text, headers in parts:
        entry = {"content": binary(r, text)}
        if r.random() < 0.6 or not text.startswith("#"):
            entry["type"] = ctype
        entry.update(headers)
        if r.random() < 0.3:
            entry["filename"] = "part"
        entries.append(text if len(entry) == 1 and r.random() < 0.5 else entry)
    if r.random() < 0.2:
        entries.append({"content": r.choice(["#!/bin/sh\n", b"\xff\x00"]), "type": r.choice(["application/x", "foo/bar"])})
    if r.random() < 0.05:
        entries.append(r.choice([{"content": 5, "type": "foo/bar"}, {"content": 5}, {"content": b"a: 1"}, b"a: 1", 5,
                                 {"content": "a: 1", "type": 0}, {"content": "a: 1", "X-A": 5}, {"content": [], "type": "a/b"},
                                 {"content": b"\xff"}, {"content": b"\xff", "type": "text/cloud-config"}]))
    return "#cloud-config-archive\n" + yaml.safe_dump(entries, default_style=r.choice([None, "|", '"']))


def as_message(r, parts):
    lines = ["Content-Type: multipart/mixed; boundary=\"==b==\"", "MIME-Version: 1.0", ""]
    for ctype, text, headers in parts:
        encoding = r.choice(["base64", "7bit"])
        if not text.isascii() or text.startswith("\n"):
            encoding = "base64"
        lines.append("--==b==")
        lines.append("Content-Type: %s; charset=\"utf-8\"" % r.choice([ctype, ctype, "text/plain"] if text[0] == "#" else [ctype]))
        lines.append("Content-Transfer-Encoding: %s" % encoding)
        lines.extend("%s: %s" % h for h in headers.items())
        lines.append("")
        lines.append(base64.encodebytes(text.encode()).decode() if encoding == "base64" else text)
    return "\n".join(lines + ["--==b==--", ""])


def random_header(r):
    how = merge_how(r)
    if isinstance(how, str) and "\n" not in how and how.strip() and r.random() < 0.5:
        return {r.choice(["Merge-Type", "X-Merge-Type", "merge-type"]): how}
    return {}


def make_case(original, r):
    kind = r.random()
    parts, texts = random_parts(r)
    if kind < 0.7:
        return Case(original, original.merge(parts), texts)
    if kind < 0.78:
        default = r.choice(["list()+dict()+str()", "dict(recurse_list,recurse_str)+list(append)+str(append)"])
        saved = cloud_config.DEF_MERGERS
        cloud_config.DEF_MERGERS = mergers.string_extract_mergers(default)
        got = original.merge(parts)
        cloud_config.DEF_MERGERS = saved
        return Case(original, got, texts, {"default": default})
    parts = [(ctype, text if text.startswith("#") else "#cloud-config\n" + text,
              random_header(r) if ctype == "text/cloud-config" else {}) for ctype, text, _ in parts]
    blob = as_archive(r, parts) if kind < 0.9 or not HAS_MIME else as_message(r, parts)
    # Python's mail reader ends lines at these, in a header and in a text.
    if "\x85" in blob or "\u2028" in blob:
        return make_case(original, r)
    try:
        got = original.user_data([blob])
    except Exception:
        original.failed = True
        got = None
    return Case(original, got, [blob])


SELF = "the patch puts an aliased value into itself"


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**32)
    original = Original()
    cases = [make_case(original, random.Random(seed + i)) for i in range(count)]
    answers = subprocess.run([sys.argv[1]], input=json.dumps([case.request() for case in cases]).encode(),
                             stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    assert len(answers) == count, "plyfs gave %d answers to %d requests" % (len(answers), count)

    refused = 0
    for i, (case, answer) in enumerate(zip(cases, answers)):
        kind, text = json.loads(answer)
        # A tree in itself, which the rules page says is refused; in Python a later part may hide it.
        wrong = not SELF in text and case.judge(kind, text)
        if wrong:
            for part in case.texts:
                print("--- part\n%s" % part)
            print("--- options\n%s\n--- plyfs: %s\n%s\n--- cloud-init\n%s" % (case.options, kind, text, case.got))
            print("not the same, %s\nagain: %s %s 1 %d" % (wrong, sys.argv[0], sys.argv[1], seed + i))
            return 1
        refused += case.must_fail
    print("%d merges are as cloud-init's, %d are refused by both (seed %d)" % (count - refused, refused, seed))
    # If nearly all merges are refused, little was compared.
    return 0 if count - refused > count / 2 or count < 50 else 1


if __name__ == "__main__":
    sys.exit(main())
