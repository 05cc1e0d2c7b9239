#!/usr/bin/python3
"""The documents of a file, by the strategy deep: against a naive matcher, and edits against their request.

    documents.py BATCH PLYFS [MERGES [EDITS [SEED]]]

Merges: random layers of several documents are merged by BATCH (batch.c), in every form of the option `documents`, and
by this script. Both must find the same documents in the same order, or both an error. Skipped (77) without PyYAML.

Edits: `plyfs set`, `unset` and `reset` with a KEY that names a document. Afterwards the merged file has that value,
and no other; and in the layer's file no byte of another document, and no comment, has changed.
"""

import collections
import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is missing")
    sys.exit(77)

OPTIONS = [None, None, {"by": "id"}, {"by": ["id", "zone"]}, {"by": ["meta.name", "id"]},
           {"by": ["kind", "metadata.name"]}, "position", "merge", "refuse"]
MISSING = object()


class Wrong(Exception):
    """The merge must be refused."""


# ---- Merges

class Document:
    """A document of a source: its tag, and a map, a list, a scalar or None, which is an empty document."""

    def __init__(self, root, tag=None):
        self.root = root
        self.tag = tag

    def is_empty(self):
        return self.root is None

    def text(self):
        head = "---" + (f" {self.tag}" if self.tag else "")
        return f"{head}\n" if self.is_empty() else f"{head}\n{json.dumps(self.root)}\n"


def exact(value):
    """1 and 1.0 are equal, 1 and true are not."""
    if isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    if isinstance(value, list):
        return [exact(each) for each in value]
    return (isinstance(value, bool), value)


def follow(root, path):
    for key in path.split("."):
        if not isinstance(root, dict) or key not in root:
            return MISSING
        root = root[key]
    return root


def name_of(root, by):
    """The values of the keys; an absent one is null, and one at least must be there."""
    values = [follow(root, path) for path in by]
    if any(isinstance(value, (dict, list)) for value in values):
        raise Wrong("a name is no map and no list")
    values = [None if value is MISSING else value for value in values]
    if all(value is None for value in values):
        raise Wrong("no name")
    return tuple(exact(value) for value in values)


def has_kind_and_name(root):
    return all(value is not MISSING and value is not None and not isinstance(value, (dict, list))
               for value in (follow(root, "kind"), follow(root, "metadata.name")))


def merged(below, above, tag=None):
    if tag != "!replace" and isinstance(below, dict) and isinstance(above, dict):
        result = dict(below)
        for key, value in above.items():
            result[key] = merged(below[key], value) if key in below else value
        return result
    return above


def check_kind(below, document):
    kinds = {type(each) if isinstance(each, (dict, list)) else str for each in (below, document.root)}
    if len(kinds) > 1 and not document.tag:
        raise Wrong("roots of two kinds")


def count_scalars(value):
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(count_scalars, value)) if isinstance(value, list) else 1


def check_removal(document, by):
    if count_scalars(document.root) > sum(follow(document.root, path) is not MISSING for path in by):
        raise Wrong("a removed document has other values")


def decide(layers, option):
    """The way in which documents are matched: a list of keys, or a word; "alone": they stay as they are."""
    full = [[document for document in layer if not document.is_empty()] for layer in layers]
    others = sum(map(bool, full)) > 1
    several = any(len(layer) > 1 for layer in full)
    said = [document for layer in full for document in layer]
    plain = not others and not any(document.tag if several else document.tag == "!delete" and document.root for document in said)
    if option in ("merge", "position"):
        return option
    if option is not None and option != "refuse" and not plain:
        return option["by"] if isinstance(option["by"], list) else [option["by"]]
    if option is None and not plain and all(has_kind_and_name(document.root) for document in said):
        return ["kind", "metadata.name"]
    if several and others:
        raise Wrong("several documents")
    return "alone" if several else "merge"


def expected(layers, option):
    if len(layers) == 1 and not any(document.tag for document in layers[0]):
        return [document.root for document in layers[0]]
    way = decide(layers, option)
    found = collections.OrderedDict()
    for layer in layers:
        own = set()
        for number, document in enumerate(layer):
            if isinstance(way, list) or way == "merge":
                if document.is_empty():
                    continue
                name = name_of(document.root, way) if isinstance(way, list) else 0
            else:
                name = number
            if isinstance(way, list) and name in own:
                raise Wrong("twice")
            own.add(name)
            below = found.setdefault(name, MISSING)
            if document.is_empty():
                continue
            if document.tag == "!delete":
                if isinstance(way, list):
                    check_removal(document, way)
                elif document.root:
                    raise Wrong("a deletion takes no value")
                found[name] = MISSING  # a later one takes its place
                continue
            if below is not MISSING:
                check_kind(below, document)
            found[name] = document.root if below is MISSING else merged(below, document.root, document.tag)
    keeps_empty = way in ("position", "alone")
    return [None if root is MISSING else root for root in found.values() if keeps_empty or root is not MISSING]


def random_value(rng, depth):
    roll = rng.random()
    if depth and roll < 0.4:
        return {rng.choice("abcd"): random_value(rng, depth - 1) for _ in range(rng.randrange(4))}
    if depth and roll < 0.5:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(3))]
    return rng.choice([0, 1, 2, True, "x", "y", "1"])


def random_root(rng, keys):
    root = {key: random_value(rng, 2) for key in rng.sample("abcd", rng.randrange(3))}
    for path in keys:
        if rng.random() < 0.04:
            continue
        value = rng.choice(["web", "web", "db", "x", "y"] + ([1, "1", True, None, 1.0, 2] if rng.random() < 0.3 else []))
        if rng.random() < 0.01:
            value = [value]
        at = root
        *way, last = path.split(".")
        for key in way:
            at = at.setdefault(key, {})
        at[last] = value
    return dict(rng.sample(sorted(root.items()), len(root)))


def random_document(rng, keys, is_named):
    roll = rng.random()
    if roll < 0.08:
        return Document(None)
    if roll < 0.10 and not is_named:
        return Document(rng.choice([[1], "text", []]))
    root = random_root(rng, keys if is_named or rng.random() < 0.3 else [])
    if roll < 0.2 and is_named:
        name = {}
        for path in keys:
            value = follow(root, path)
            at = name
            for key in path.split(".")[:-1]:
                at = at.setdefault(key, {})
            if value is not MISSING:
                at[path.split(".")[-1]] = value
        if rng.random() < 0.1:
            name["a"] = 1
        return Document(name, "!delete")
    return Document(root, "!replace" if roll < 0.25 else None)


def random_case(rng):
    option = rng.choice(OPTIONS)
    keys = ["kind", "metadata.name"]
    if isinstance(option, dict):
        keys = option["by"] if isinstance(option["by"], list) else [option["by"]]
    is_named = isinstance(option, dict) or rng.random() < (0.7 if option is None else 0.2)
    most = 5 if option in ("position", "merge") or is_named else rng.choice([1, 1, 3])
    layers = [[random_document(rng, keys, is_named) for _ in range(rng.randrange(most + 1))]
              for _ in range(rng.randrange(1, 4))]
    if is_named and rng.random() < 0.8:
        layers = [without_doubles(layer, keys) for layer in layers]
    return layers, option


def without_doubles(layer, keys):
    kept = {}
    for document in layer:
        values = [follow(document.root, path) for path in keys]
        kept.setdefault(str(exact([None if each is MISSING else each for each in values])), document)
    return list(kept.values())


def text_of(layer, rng):
    text = "".join(document.text() for document in layer)
    return text[4:] if text.startswith("---\n") and len(layer) == 1 and rng.random() < 0.5 else text


def merge_all(batch, cases):
    requests = [{"strategy": "deep", "options": {} if option is None else {"documents": option},
                 "inputs": [["source%d" % i, text] for i, text in enumerate(texts)]} for texts, option in cases]
    output = subprocess.run([batch], input=json.dumps(requests).encode(), check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    return [json.loads(line) for line in output.splitlines()]


def without_end(documents):
    """Empty documents at the end are no values."""
    while documents and documents[-1] is None:
        documents = documents[:-1]
    return documents


def compare_merges(batch, count, rng):
    cases = [random_case(rng) for _ in range(count)]
    texts = [([text_of(layer, rng) for layer in layers], option) for layers, option in cases]
    errors = several = different = 0
    for (layers, option), (sources, _), (kind, text) in zip(cases, texts, merge_all(batch, texts)):
        try:
            wanted = without_end(expected(layers, option))
        except Wrong:
            wanted = None
        got = without_end(list(yaml.safe_load_all(text))) if kind == "text" else None
        errors += wanted is None
        several += wanted is not None and len(wanted) > 1 and len(layers) > 1
        if kind == "error" and not re.match(r"source\d:\d+:\d+: ", text):
            different += 1
            print("# the error has no place:", text)
        if (None if wanted is None else exact(wanted)) != (None if got is None else exact(got)):
            different += 1
            if different <= 3:
                print("# documents:", option)
                print("#   " + "\n~~~~\n".join(sources).replace("\n", "\n#   "))
                print("#   wanted:", wanted)
                print("#   got:   ", kind, text.replace("\n", "\n#   "))
    print(f"# {count} merges: {errors} errors, {several} of several documents and layers, {different} differ")
    return not different and several * 4 > count and errors * 20 > count


# ---- Edits

class Writer:
    """Writes documents as people do, with comments that are numbered."""

    def __init__(self, rng):
        self.rng = rng
        self.comments = 0

    def comment(self, chance):
        if self.rng.random() > chance:
            return ""
        self.comments += 1
        return f"# c{self.comments}."

    def key(self, name, value, indent):
        above = self.comment(0.15)
        lines = [f"{indent}{above}"] if above else []
        behind = self.comment(0.2)
        behind = f" {behind}" if behind else ""
        is_block = value and isinstance(value, (dict, list)) and self.rng.random() < 0.7
        if not is_block:
            return lines + [f"{indent}{name}: {json.dumps(value)}{behind}"]
        lines.append(f"{indent}{name}:{behind}")
        inner = indent + self.rng.choice(["  ", "    "])
        if isinstance(value, list):
            return lines + [f"{inner}- {json.dumps(item)}" for item in value]
        for key, each in value.items():
            lines += self.key(key, each, inner)
        return lines

    def document(self, root, tag, is_first):
        behind = self.comment(0.1)
        head = ["--- " + " ".join(each for each in (tag, behind) if each)] if tag or behind or not is_first else []
        above = self.comment(0.2)
        lines = [head[0].rstrip()] if head else []
        lines += [above, ""] if above and self.rng.random() < 0.3 else [above] if above else []
        for key, value in root.items():
            lines += self.key(key, value, "")
            lines += [""] if self.rng.random() < 0.05 else []
        if self.rng.random() < 0.1:
            lines.append(self.comment(1))
        return "\n".join(lines) + "\n"


NAMES = [(kind, name) for kind in ("Job", "Pod") for name in ("a", "b")]


def named(name, root):
    return {"kind": name[0], "metadata": {"name": name[1]}, **root}


def name_in(root):
    return (root["kind"], root["metadata"]["name"])


def form_of(name, rng, others):
    """A KEY of the document: its name, or the part of it that no other has."""
    if others is not None and rng.random() < 0.4:
        if all(other[1] != name[1] for other in others if other != name):
            return f"[metadata.name={name[1]}]"
        if all(other[0] != name[0] for other in others if other != name):
            return f"[kind={name[0]}]"
    parts = [f"kind={name[0]}", f"metadata.name={name[1]}"]
    return "[" + ",".join(rng.sample(parts, 2)) + "]"


def paths_in(root, path=()):
    for key, value in root.items():
        if path + (key,) in (("kind",), ("metadata",)):
            continue
        yield path + (key,)
        if isinstance(value, dict):
            yield from paths_in(value, path + (key,))


def with_value(root, path, value):
    root = copy.deepcopy(root)
    at = root
    for key in path[:-1]:
        at = at.setdefault(key, {})
    at[path[-1]] = value
    return root


def without_value(root, path, prunes):
    inner = root.get(path[0])
    if len(path) > 1:
        inner = without_value(inner, path[1:], prunes)
    if len(path) > 1 and (inner or not prunes):
        return {**root, path[0]: inner}
    return {key: value for key, value in root.items() if key != path[0]}


class Edited:
    """Two layers, one edit, and what must be true afterwards."""

    def __init__(self, plyfs, directory, rng):
        self.plyfs = plyfs
        self.directory = directory
        self.rng = rng
        shutil.rmtree(directory)
        for layer in ("vendor", "site"):
            os.makedirs(os.path.join(directory, layer))
        vendor = rng.sample(NAMES, rng.randrange(1, 4))
        self.layers = [[Document(named(name, self.root())) for name in vendor],
                       [self.own(name, vendor) for name in rng.sample(NAMES, rng.randrange(0, 4))]]
        for layer, documents in zip(("vendor", "site"), self.layers):
            writer = Writer(rng)
            text = "".join(writer.document(document.root, document.tag, i == 0)
                           for i, document in enumerate(documents))
            if text:
                with open(self.path(layer), "w", encoding="utf-8") as file:
                    file.write(text)
        self.text = self.read()
        self.before = self.merged()
        self.command = None

    def root(self):
        return {key: random_value(self.rng, 2) for key in self.rng.sample("abcd", self.rng.randrange(1, 4))}

    def own(self, name, vendor):
        roll = self.rng.random()
        if roll < 0.15 and name in vendor:
            return Document(named(name, {}), "!delete")
        return Document(named(name, self.root()), "!replace" if roll < 0.2 else None)

    def path(self, layer):
        return os.path.join(self.directory, layer, "k.yaml")

    def read(self):
        if not os.path.exists(self.path("site")):
            return ""
        with open(self.path("site"), encoding="utf-8") as file:
            return file.read()

    def run(self, *arguments):
        return subprocess.run([self.plyfs, arguments[0], "-l", "vendor:site", *arguments[1:]], cwd=self.directory,
                              capture_output=True, check=False, timeout=60)

    def merged(self):
        done = self.run("cat", "k.yaml")
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        found = [root for root in yaml.safe_load_all(done.stdout.decode()) if root is not None]
        return {name_in(root): root for root in found}

    def choose(self):
        """Returns the command, what it is about, and the documents that the file then has."""
        rng = self.rng
        kind = rng.choice(["set", "set", "unset", "reset"])
        own = {name_in(document.root): document for document in self.layers[1]}
        names = list(own) if kind == "reset" else list(self.before) if kind == "unset" else NAMES
        if not names:
            return None
        name = rng.choice(names)
        form = form_of(name, rng, list(self.before) if name in self.before and kind != "reset" else None)
        root = (own[name].root if kind == "reset" else self.before.get(name, named(name, {})))
        paths = list(paths_in(root))
        if kind == "set":
            path = rng.choice(paths) if paths and rng.random() < 0.6 else tuple(rng.sample("abcd", rng.randrange(1, 3)))
            at = follow(root, path[0])
            if len(path) > 1 and at is not MISSING and not isinstance(at, dict):
                return None
            value = rng.choice([7, "new", [1, 2], {"e": 1}])
            wanted = {**self.before, name: with_value(root, path, value)}
            return ["set", "--yaml", "k.yaml", ".".join((form,) + path), json.dumps(value)], name, wanted
        path = rng.choice(paths + [()]) if paths else ()
        key = ".".join((form,) + path)
        if kind == "unset":
            wanted = dict(self.before)
            wanted[name] = without_value(root, path, False) if path else None
            return ["unset", "k.yaml", key], name, {name: root for name, root in wanted.items() if root}
        left = without_value(root, path, True) if path else {}
        site = [document if name_in(document.root) != name else Document(left, document.tag)
                for document in self.layers[1]]
        site = [document for document in site if document.root and
                (document.root != named(name_in(document.root), {}) or document.tag)]
        result = expected([self.layers[0], site], None)
        return ["reset", "k.yaml", key], name, {name_in(root): root for root in result}

    def chunks(self, text):
        """The text of each document by its name, with the line in front of it."""
        parts = re.split(r"^(?=---)", text, flags=re.M)
        found = {}
        for part in parts:
            root = yaml.load(part, LOOSE)
            # The only document needs no name.
            if root:
                found[name_in(root) if "kind" in root else None] = part
        return found

    def check(self, name, wanted, is_whole):
        after = self.merged()
        if {key: exact(root) for key, root in after.items()} != {key: exact(root) for key, root in wanted.items()}:
            return f"the values are {after}, and not {wanted}"
        old, new = self.chunks(self.text), self.chunks(self.read())
        for other in old:
            if other != name and old[other].rstrip("\n") != new.get(other, "").rstrip("\n") and \
                    not self.is_first_now(old[other], new.get(other, "")):
                return f"the text of {other} has changed"
        if self.command[0] == "set" and name in old and not is_whole:
            lost = set(re.findall(r"# c\d+\.", old[name])) - set(re.findall(r"# c\d+\.", new[name]))
            if lost:
                return f"comments are lost: {lost}"
        return None

    @staticmethod
    def is_first_now(old, new):
        """The document in front was removed: the text above it may be left, and `---` may be gone."""
        return new.rstrip("\n").endswith(re.sub(r"\A---\n", "", old).rstrip("\n"))

    def try_one(self):
        chosen = self.choose()
        if not chosen:
            return None
        self.command, name, wanted = chosen
        own = {name_in(document.root): document for document in self.layers[1]}
        key = self.command[-2] if self.command[0] == "set" else self.command[-1]
        path = key.split("].", 1)[1] if "]." in key else ""
        # Comments of what is replaced as a whole go with it.
        is_whole = name in own and (own[name].tag == "!delete" or not path or
                                    isinstance(follow(own[name].root, path), (dict, list)))
        done = self.run(*self.command)
        if done.returncode == 0:
            return self.check(name, wanted, is_whole)
        if self.read() != self.text:
            return "it is refused, and the file has changed"
        if not done.stderr:
            return "it is refused without a message"
        if not wanted and "nothing would be left of the file" in done.stderr.decode():
            return None
        return "it is refused: " + done.stderr.decode()


class Loose(yaml.SafeLoader):
    """Reads tags as what they stand at."""


LOOSE = Loose


def read_tagged(loader, _suffix, node):
    return loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else str(node.value)


LOOSE.add_multi_constructor("!", read_tagged)


def compare_edits(plyfs, count, rng):
    directory = tempfile.mkdtemp(prefix="plyfs-documents.")
    done = collections.Counter()
    wrong = 0
    try:
        while sum(done.values()) < count:
            edited = Edited(plyfs, directory, rng)
            reason = edited.try_one()
            done[edited.command[0] if edited.command else "none"] += 1
            if not reason:
                continue
            wrong += 1
            if wrong <= 3:
                with open(edited.path("vendor"), encoding="utf-8") as file:
                    print("# vendor:\n#   " + file.read().replace("\n", "\n#   "))
                print("# site:\n#   " + edited.text.replace("\n", "\n#   "))
                print("# after:\n#   " + edited.read().replace("\n", "\n#   "))
                print("# ", edited.command, reason)
    finally:
        shutil.rmtree(directory)
    print(f"# edits: {dict(done)}, {wrong} wrong")
    return not wrong


# ---- Main

def main():
    batch, plyfs = sys.argv[1], os.path.abspath(sys.argv[2])
    merges = int(sys.argv[3]) if len(sys.argv) > 3 else 4000
    edits = int(sys.argv[4]) if len(sys.argv) > 4 else 300
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    print("1..2")
    is_fine = [compare_merges(batch, merges, random.Random(seed)), compare_edits(plyfs, edits, random.Random(seed))]
    for number, name in enumerate(["documents are matched as by the naive matcher", "an edit changes its document only"]):
        print("ok" if is_fine[number] else "not ok", number + 1, "-", name)
    return 0 if all(is_fine) else 1


if __name__ == "__main__":
    sys.exit(main())
