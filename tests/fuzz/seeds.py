#!/usr/bin/env python3
"""Makes a corpus for a fuzz target out of the tests' cases, one file an input.

    seeds.py TARGET DIRECTORY

The head of each target describes its input.
"""
import ast
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TESTS = ROOT / "tests"
SUITE = pathlib.Path("/usr/share/json-schema-test-suite/tests")

# Bytes; libFuzzer cuts an input that is longer than its -max_len.
SIZE_MAX = 1500

# In the order of STRATEGIES and FORMATS.
STRATEGIES = re.findall(r'^\tX\(\w+, "(.*)"\)', (ROOT / "merge/strategy.c").read_text(), re.M)
FORMATS = re.findall(r"X\((\w+)\)", re.search(r"#define FORMATS\(X\)((?:.*\\\n)*.*)", (ROOT / "merge/format.h").read_text())[1])


def suffixes(name):
    """For a dialect of INI, the cases have files of its name."""
    path = ROOT / f"merge/format/{name}.c"
    found = path.exists() and re.search(r"\.suffixes =((?:\s*\"[^\"]*\")+)", path.read_text())
    return "".join(re.findall('"([^"]*)"', found[1])).split(",") if found else ["ini", name]


SUFFIXES = {name: suffixes(name) for name in FORMATS}


def files():
    for folder in ("cases", "edits", "presets"):
        for path in sorted((TESTS / folder).rglob("*")):
            if path.is_file():
                yield path


def texts_of(name):
    for path in files():
        if path.suffix[1:] in SUFFIXES[name]:
            yield path.read_bytes()


def read(name):
    for number, text in enumerate(texts_of(name)):
        yield bytes([number % 16]) + text


def edit(name):
    for number, text in enumerate(texts_of(name)):
        for op in (number % 2, number % 2 + 2):
            yield bytes([op | (number + op) % 8 << 2, number * 7 % 16]) + text


def cases():
    """(strategy, the options' text, sources, other files)"""
    for folder in sorted((TESTS / "cases").iterdir()):
        if not folder.is_dir():
            continue
        rule = folder / "rule.yaml"
        text = rule.read_text() if rule.exists() else ""
        strategy = re.search(r"^strategy: *(\S+)", text, re.M) or \
            re.match(rf"(?:should-fail-)?({'|'.join(STRATEGIES)})-", folder.name)
        options = re.search(r"^options:(.*(?:\n[ \t].*)*)", text, re.M)
        guards = re.findall(r"^(?:lock|bounds):.*(?:\n[ \t].*)*", text, re.M)
        given = options[1] if options else ""
        if guards:
            given = "---" + (given or " {}") + "\n---\n" + "\n".join(guards) + "\n"
        sources = [path for path in sorted(folder.iterdir())
                   if path.is_file() and path != rule and not path.name.startswith("expect.")]
        tree = [path.read_bytes() for path in sorted(folder.glob("tree/**/*")) if path.is_file()]
        name = strategy[1] if strategy and strategy[1] in STRATEGIES else "deep"
        yield name, given.encode(), sources, tree


def documents():
    """(the options' text, the sources' texts), of several documents"""
    names = [b"kind: A\nmetadata: {name: x}\na: {b: 1}\n--- # two\nkind: B\nmetadata: {name: x}\nl: [1]\n",
             b"# head\n--- !delete\nkind: A\nmetadata: {name: x}\n...\n---\nkind: B\nmetadata:\n  name: x\nl: !append [2]\n"]
    yield b"", names
    yield b"", [*names, b"--- !replace\nkind: A\nmetadata: {name: x}\n---\nkind: C\nmetadata: {name: y}\n"]
    yield b"{documents: {by: [id, zone]}}", [b"id: 1\na: 1\n---\nid: 1\nzone: ~\n", b"---\n---\nid: '1'\nzone: z\n"]
    for option in (b"position", b"merge", b"refuse"):
        yield b"{documents: " + option + b"}", [b"a: 1\n---\n---\nb: 2\n", b"--- !replace\n[1]\n---\na: 2\n...\n# end\n"]


def strategy(_name):
    for options, texts in documents():
        yield bytes([STRATEGIES.index("deep"), (len(texts) - 2) << 3]) + b"\xff".join([options, *texts])
    for name, options, sources, tree in cases():
        is_json = all(path.suffix == ".json" for path in sources)
        flags = 4 * is_json | min(max(len(sources) - 2, 0), 3) << 3
        texts = [path.read_bytes() for path in sources[:5]]
        texts += [b""] * (2 - len(texts))
        yield bytes([STRATEGIES.index(name), flags]) + b"\xff".join([options] + texts + tree)


def put(_name):
    for number, (options, texts) in enumerate(documents()):
        for op in range(4):
            flags = (len(texts) - 1) | op << 2 | op % 2 << 4 | number << 5
            head = bytes([STRATEGIES.index("deep"), FORMATS.index("yaml"), flags, 3 * number + op])
            yield head + b"\xff".join([options, *texts])
    for number, (name, options, sources, _tree) in enumerate(cases()):
        suffix = sources[0].suffix[1:] if sources else "yaml"
        form = next((i for i, form in enumerate(FORMATS) if suffix in SUFFIXES[form]), 0)
        count = min(max(len(sources), 1), 4)
        texts = [path.read_bytes() for path in sources[:4]] or [b""]
        for op in range(2):
            flags = (count - 1) | (number + op) % 4 << 2 | op << 4 | number % 8 << 5
            yield bytes([STRATEGIES.index(name), form, flags, number % 8]) + b"\xff".join([options] + texts)


def literals(path):
    """Returns the string literals of C, joined if one follows the other."""
    for found in re.findall(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*', path.read_text()):
        try:
            yield "".join(ast.literal_eval("b" + part).decode("latin-1")
                          for part in re.findall(r'"(?:\\.|[^"\\\n])*"', found)).encode("latin-1")
        except (SyntaxError, ValueError):
            continue


def settings(_name):
    for path in [*ROOT.glob("examples/**/plyfs*.yaml"), *ROOT.glob("data/presets/*.yaml")]:
        yield path.read_bytes()
    for path in TESTS.glob("unit/settings*.c"):
        for text in literals(path):
            if b": " in text or b":\n" in text:
                yield text
    for path in [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/*.scd"), *TESTS.glob("*/*.sh")]:
        for text in re.findall(r"^[ \t]*(?:layers|rules|files|options|presets):.*(?:\n(?:[ \t-].*)?)*", path.read_text(), re.M):
            yield b"layers: [a, b]\n" + text.encode() if not text.lstrip().startswith("layers") else text.encode()


def glob(_name):
    for text in literals(TESTS / "unit/glob.c"):
        for path in (b"app.yaml", b"a/b.yml", b"dir/sub/app.yaml", b"bd/ef"):
            yield text + b"\xff" + path


def key(_name):
    tree = b"server: {hosts: [{name: web, port: 1}, x]}\na.b: {'c d': [1]}\n1: {true: 2}\n"
    for text in literals(TESTS / "unit/key.c"):
        yield text + b"\xff" + tree
    for path in files():
        if path.suffix == ".yaml":
            yield b"a.b[0]\xff" + path.read_bytes()


def mime(_name):
    for path in files():
        text = path.read_bytes()
        if re.search(rb"^(content-type|mime-version):", text, re.I | re.M):
            yield text
    yield (b'Content-Type: multipart/mixed; boundary="b"\nMIME-Version: 1.0\n\n--b\nContent-Type: text/cloud-config\n'
           b"Merge-Type: list(append)\nContent-Transfer-Encoding: base64\n\nYTogMQo=\n--b\n"
           b"Content-Type: message/rfc822\n\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\na=3D1\n--b--\n")


def patch(_name):
    tree = b"a: &x {b: [1, 2, {c: d}]}\ne: *x\n'~/': 1\n"
    for op in ('"add", "path": "/a/b/-", "value": {"x": [1]}', '"remove", "path": "/a/b/0"',
               '"replace", "path": "/~0~1", "value": null', '"move", "from": "/a/b", "path": "/e/q"',
               '"copy", "from": "", "path": "/a"', '"test", "path": "/a/b/1", "value": 2'):
        yield tree + b'\xff[{"op": ' + op.encode() + b"}]"
    for path in files():
        text = path.read_bytes()
        if b'"op"' in text:
            yield tree + b"\xff" + text[text.index(b"\n") + 1:]


def schema(_name):
    for path in sorted(SUITE.glob("draft*/**/*.json")):
        if path.parent.name not in ("draft7", "draft2020-12"):
            continue
        for group in json.loads(path.read_text()):
            for test in group["tests"][:2]:
                yield (json.dumps(group["schema"]) + "\xff" + json.dumps(test["data"])).encode("latin-1")
    for path in [*TESTS.glob("**/*.schema.json"), *ROOT.glob("docs/*.schema.json")]:
        yield path.read_bytes() + b"\xffa: 1\n"


def gateway(_name):
    for path in TESTS.glob("unit/*.c"):
        if path.stem in ("etcd_reply", "json_stream"):
            for text in literals(path):
                yield b"\xff" + text
                yield b"\x02" + text


def answer(_name):
    """What compose_task() writes: result, problem, doubt, names that were asked for, stand-ins, version."""
    def number(*values):
        return b"".join(value.to_bytes(8, "little") for value in values)

    def text(value):
        return number(0) if value is None else number(1, len(value)) + value

    def stamp():
        return number(1, 2, 5, 1700000000, 1, 1700000000, 2)

    def problem(message):
        return text(b"b/app.yaml") + text(b"") + number(1, 4) + text(message) + text(b"")

    version = number(0, 0o100644, 0, 0, 5, 1700000000, 1, 1700000000, 2) + number(5) + b"a: 1\n" + number(0, 1) + stamp() + \
        number(1700000000, 3, 0) + text(b"deep") + text(b"usr:etc") + text(b"usr/app.yaml:etc/app.yaml") + number(0)
    yield number(4096) + problem(b"") + number(0, 0) + number(0) + version
    yield number(4096) + problem(b"one layer is left out") + number(1, 2) + text(b"d") + text(b"n") + \
        number(1, 1) + text(b"app.yaml") + stamp() + number(1700000000, 0) + number(0) + version
    yield number(4097) + problem(b"the '[' is not closed") + number(1, 0)
    yield number(4098) + problem(b"") + number(0, 0)


def tree(_name):
    for number in range(64):
        yield hashlib.sha512(bytes([number])).digest() * 2


def main():
    target, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    kind, _, form = target.partition("-")
    count = 0
    for data in globals()[kind](form):
        if len(data) <= SIZE_MAX:
            (directory / hashlib.sha1(data).hexdigest()).write_bytes(data)
            count += 1
    if not count:
        sys.exit(f"there are no seeds for {target}")


if __name__ == "__main__":
    main()
