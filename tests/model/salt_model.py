#!/usr/bin/python3
"""Compares the salt strategy with a model of Salt's rules, written from Salt's documentation.

    salt_model.py BATCH [COUNT [SEED]]

BATCH is the program built from batch.c. Skipped (77) if PyYAML is missing. The model reads YAML with PyYAML, as
Salt does, and holds values in Python's own types. So equality, the order of keys, `<<` and the types of scalars
are Python's and PyYAML's, and not ours. It differs from Salt where plyfs does: 1 and true are not equal, and a
quoted scalar stays a string when it is tagged.
"""

import json
import random
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None

SKIPPED = 77


class Wrong(Exception):
    """The document is an error."""


class Bool:
    """A boolean that is not a number."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Bool) and self.value == other.value

    def __hash__(self):
        return hash(("bool", self.value))


class Map(dict):
    """A marked map."""


class Sequence(list):
    """A marked list."""


def levelise(level):
    if level is None or level is False or level in (0, [], ""):
        return False, False
    if level is True:
        return True, True
    if isinstance(level, int):
        return True, level - 1
    return int(level[0]) != 0, level[1:]


def is_marked(value):
    return isinstance(value, (Map, Sequence))


def mark(value):
    if is_marked(value):
        return value
    if isinstance(value, dict):
        return Map(value)
    return Sequence(value if isinstance(value, list) else [value])


def aggregate(a, b, level=False):
    is_on, below = levelise(level)
    if is_on:
        a, b = mark(a), mark(b)
    both = is_marked(a) and is_marked(b)
    if isinstance(a, dict) and isinstance(b, dict):
        result = type(a)(a) if both else type(b)(b)
        for key in b:
            result[key] = aggregate(a[key], b[key], below) if key in a else b[key]
        return result
    if isinstance(a, list) and isinstance(b, list) and both:
        return Sequence(list(a) + [item for item in b if item not in a])
    return b


MAPPING = "tag:yaml.org,2002:map"
INTEGER = "tag:yaml.org,2002:int"
NULL = "tag:yaml.org,2002:null"
KINDS = {"!aggr-map": "mapping", "!aggr-seq": "sequence", "!aggr-scalar": "scalar"}
TAGS = list(KINDS) + ["!aggregate", "!reset"]


def decimal(text):
    """Returns what yamlex's construct_sls_int() makes of it: 0644 is 644."""
    if text != "0" and text.startswith("0") and not text.startswith(("0b", "0x")):
        text = text.lstrip("0") or "0"
    return text


class Reader:
    """Returns the values of documents."""

    def __init__(self, text):
        self.loader = yaml.SafeLoader(text)

    def roots(self):
        while self.loader.check_node():
            node = self.loader.get_node()
            if not (isinstance(node, yaml.ScalarNode) and node.value == "" and node.style is None
                    and node.tag == NULL):
                yield node

    def documents(self):
        for node in self.roots():
            yield self.value(node, "!aggregate")

    def scalar(self, node):
        if node.tag in TAGS:
            implicit = (True, False) if node.style is None else (False, True)
            tag = self.loader.resolve(yaml.ScalarNode, node.value, implicit)
            node = yaml.ScalarNode(tag, node.value, node.start_mark, node.end_mark, node.style)
        if node.tag == INTEGER:
            node.value = decimal(node.value)
        value = self.loader.construct_object(node)
        return Bool(value) if isinstance(value, bool) else value

    def mapping(self, node):
        if node.tag in TAGS:
            node = yaml.MappingNode(MAPPING, list(node.value), node.start_mark, node.end_mark)
        self.loader.flatten_mapping(node)
        result = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise Wrong("unacceptable key")
            key = self.scalar(key_node)
            value = self.value(value_node, key_node.tag)
            if key in result and key_node.tag != "!reset":
                value = aggregate(result[key], value)
            result[key] = value
        return result

    def plain(self, node):
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node)
        return [self.value(item, None) for item in node.value]

    def value(self, node, outer):
        value = self.plain(node)
        tag = node.tag if node.tag in TAGS and node.tag != "!reset" else outer
        if tag not in TAGS or tag == "!reset":
            return value
        if tag == "!aggregate":
            return Sequence() if value is None else mark(value)
        if node.id != KINDS[tag]:
            raise Wrong("expected a %s node, but found %s" % (KINDS[tag], node.id))
        return Sequence([value]) if tag == "!aggr-scalar" else mark(value)


def is_broken(below, node):
    """A root of another kind than the one before, without a tag that shows that it is intended."""
    return below and node.id != below.id and not any(
        each.tag.startswith("!") or each.tag == NULL for each in (below, node))


def expected(texts, level):
    """Returns the result, or None for an error. It is a list of one, so that null is a result."""
    result = below = None
    try:
        for text in texts:
            reader = Reader(text)
            nodes = list(reader.roots())
            if len(nodes) > 1:
                raise Wrong("expected a single document in the stream")
            for node in nodes:
                value = reader.value(node, "!aggregate")
                if is_broken(below, node):
                    raise Wrong("roots of two kinds")
                result = [aggregate(result[0], value, level) if result else value]
                below = node
    except Wrong:
        return None
    return result or []


def exact(value):
    """Returns a value that is equal to another only if kind, type, marks and the order of keys are."""
    if isinstance(value, dict):
        items = [(exact(key), exact(each)) for key, each in value.items()]
        return (is_marked(value), "map", items)
    if isinstance(value, list):
        return (is_marked(value), "list", [exact(each) for each in value])
    if isinstance(value, Bool):
        return ("bool", value.value)
    kind = "number" if isinstance(value, (int, float)) else type(value).__name__
    return (kind, value)


SCALARS = ["a", "b", "1", "2", "1.0", "0x1", "true", "no", "null", "~", "''", "'1'", '"a"', "x y",
           "0644", "644", "420", "-0644", "-420", "+0644", "0_644", "00", "0", "0b11", "3", "03"]
KEYS = ["a", "b", "c", "k1", "1", "true", "'1'"]
LEVELS = [False, True, 0, 1, 2, 3, -1, [], [True], [1, 0, 1], [False, True], [True, True, 0, 2],
          "", "0", "1", "01", "101", "10000"]


def scalar(rng):
    return rng.choice(SCALARS)


def tagged(rng, tags, text):
    if rng.random() < 0.45:
        return text
    if rng.random() < 0.01:
        tags = TAGS
    return rng.choice(tags) + " " + text


class Writer:
    """Random documents. Anchors are used only where they are in scope."""

    def __init__(self, rng):
        self.rng = rng
        self.maps = []
        self.values = []
        self.count = 0

    def anchored(self, text, anchors):
        if self.rng.random() > 0.08 or text.startswith("&"):
            return text
        self.count += 1
        anchors.append("*n%d" % self.count)
        return "&n%d %s" % (self.count, text)

    def map(self, depth):
        pairs, merged = [], []
        if self.maps and self.rng.random() < 0.1:
            merged = self.rng.sample(self.maps, self.rng.randrange(1, len(self.maps) + 1))
        for _ in range(self.rng.randrange(5)):
            key = self.rng.choice(KEYS)
            if self.rng.random() < 0.08:
                key = self.rng.choice(["!reset ", "!aggregate "]) + key
            pairs.append(key + ": " + self.value(depth - 1))
        if merged:
            text = merged[0] if len(merged) == 1 else "[" + ", ".join(merged) + "]"
            pairs.insert(self.rng.randrange(len(pairs) + 1), "<<: " + text)
        return "{" + ", ".join(pairs) + "}"

    def value(self, depth):
        rng = self.rng
        kind = rng.random() if depth > 0 else 0
        if self.values and rng.random() < 0.03:
            return rng.choice(self.values) + " "
        if kind < 0.4:
            return tagged(rng, ["!aggr-scalar", "!aggregate", "!aggr-scalar", "!reset"], scalar(rng))
        if kind < 0.65:
            items = [self.value(depth - 1) for _ in range(rng.randrange(5))]
            if rng.random() < 0.25 and not any("&" in item for item in items):
                items *= 4  # long enough to be searched by hash
            text = tagged(rng, ["!aggr-seq", "!aggregate"], "[" + ", ".join(items) + "]")
            return self.anchored(text, self.values)
        return self.anchored(tagged(rng, ["!aggr-map", "!aggregate"], self.map(depth)), self.maps)

    def document(self):
        self.maps, self.values = [], []
        rng = self.rng
        kind = rng.random()
        if kind < 0.03:
            return rng.choice(["", "# nothing", "[1, a]", "~", "text"])
        lines = []
        for _ in range(rng.randrange(7)):
            key = rng.choice(KEYS)
            if rng.random() < 0.06:
                key = "!reset " + key
            lines.append(key + ": " + self.value(4))
        return "\n".join(lines) or "{}"


def source(rng):
    writer = Writer(rng)
    count = 1 if rng.random() < 0.95 else 2
    return "\n---\n".join(writer.document() for _ in range(count)) + "\n"


def run(batch, cases, tags):
    requests = [{"strategy": "salt", "options": {"level": level, "tags": tags},
                 "inputs": [["source%d" % i, text] for i, text in enumerate(texts)]}
                for texts, level in cases]
    output = subprocess.run([batch], input=json.dumps(requests).encode(), check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    return [json.loads(line) for line in output.splitlines()]


def read_result(kind, text):
    """Reads the output with the model's reader, which is PyYAML's."""
    if kind == "error":
        return None
    return list(Reader(text).documents())


def without_marks(values):
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(each) for key, each in value.items()}
        return [strip(each) for each in value] if isinstance(value, list) else value
    return values and [strip(value) for value in values]


def compare(case, wanted, marked, plain, again):
    """Returns why this case is wrong, or None."""
    texts, _ = case
    got, got_plain = read_result(*marked), read_result(*plain)
    if (wanted is None) != (got is None) or (wanted is None) != (got_plain is None):
        return "one is an error"
    if wanted is None:
        return None if marked[1].startswith("source") else "the error has no place"
    if exact(wanted) != exact(got):
        return "the values differ"
    if "!aggr" in plain[1] or "!reset" in plain[1]:
        return "the plain output has a tag"
    if exact(without_marks(wanted)) != exact(without_marks(got_plain)):
        return "the plain values differ"
    if again != marked:
        return "aggregated again it differs: " + again[1]
    return None


def main():
    batch = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if not yaml:
        print("1..0 # SKIP PyYAML is not installed (Debian: python3-yaml)")
        return SKIPPED
    rng = random.Random(seed)
    cases = [([source(rng) for _ in range(rng.randrange(1, 5))], rng.choice(LEVELS))
             for _ in range(count)]
    marked = run(batch, cases, True)
    again = run(batch, [([text, text], False) for _, text in marked], True)
    different = errors = 0
    for case, one, two, three in zip(cases, marked, run(batch, cases, False), again):
        wanted = expected(*case)
        errors += wanted is None
        reason = compare(case, wanted, one, two, three)
        if reason:
            different += 1
            if different <= 3:
                print("# %s, level %r" % (reason, case[1]))
                print("#   " + "\n---- \n".join(case[0]).replace("\n", "\n#   "))
                print("#   model:", None if wanted is None else exact(wanted))
                print("#   salt: ", one)
    print("1..1")
    print("# seed %d: %d cases, %d of them errors, %d differ" % (seed, count, errors, different))
    print("%sok 1 - salt agrees with the model" % ("not " if different else ""))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
