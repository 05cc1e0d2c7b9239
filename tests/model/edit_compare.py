#!/usr/bin/python3
"""Random edits of random YAML, JSON and JSONC, judged by PyYAML and Python's json.

    edit_compare.py DRIVER FORMAT [COUNT [SEED]]

DRIVER is the program built from edit_driver.c; FORMAT is yaml, json or jsonc. Skipped (77) if PyYAML is missing.
Documents have comments with a name each, odd indentation, blocks and brackets mixed, all kinds of scalars, and
line ends, byte order mark and final newline of all kinds.

The laws of each edit: another parser reads the right tree from the resulting text, with its keys in their order.
The text is the first text with the splices done. No comment is lost except those of removed or replaced values,
and the others stay in their order. Few edits are refused.
"""

import json
import random
import re
import sys

from edit_driver import check_undone, run, spliced

try:
    import yaml
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

NAMES = ["a", "b", "c", "port", "host", "name", "key-1", "x.y", "Ä", "with space", "1", "true", "#h", "k:v"]
STRINGS = ["x", "text", "two words", "yes", "10", "1.5", "null", "", " lead", "trail ", "a: b", "a #b",
           "# no", "'q'", '"d"', "ä€😀", "- dash", "[b]", "{c}", "a, b", "*al", "&an", "!t", "| p", "%d",
           "@x", "back\\slash", "line\nline", "end\n", "two\n\n", "\n", "a\n b\n", "tab\tin", "~", "=", "<<",
           "2020-01-01", "12:30", "0x1F", "// no", "/* no */"]


def scalar(rng):
    kind = rng.randrange(8)
    if kind < 4:
        return rng.choice(STRINGS)
    return [rng.randrange(-5, 1000), rng.choice([True, False]), None, rng.choice([1.5, -0.25, 1e20])][kind - 4]


def value(rng, depth):
    kind = rng.randrange(10)
    if depth <= 0 or kind < 5:
        return scalar(rng)
    if kind < 8:
        return {name: value(rng, depth - 1) for name in rng.sample(NAMES, rng.randrange(5))}
    return [value(rng, depth - 1) for _ in range(rng.randrange(4))]


class Names:
    """Comments, each with a name of its own."""

    def __init__(self, rng, share):
        self.rng, self.share, self.count = rng, share, 0

    def next(self):
        self.count += 1
        junk = self.rng.choice(["", "", " ]", " }", " a: b", " - x", " 'q", ' "q', " ,", " [{", " |"])
        return "c%dc%s" % (self.count, junk)

    def wanted(self):
        return self.rng.random() < self.share


class Yaml:
    """Writes a value as YAML of many kinds."""

    def __init__(self, rng):
        self.rng = rng
        self.names = Names(rng, rng.choice([0, 0.1, 0.3]))
        self.width = rng.choice([1, 2, 2, 2, 3, 4, 4])
        self.list = rng.choice([0, 0, self.width])
        self.flow = rng.choice([0, 0.2, 0.5])
        self.odd = rng.choice([0, 0, 0.1])
        self.quote = rng.choice([None, None, "'", '"'])
        self.anchors = rng.choice([0, 0, 0, 0.1])
        self.known = []  # anchors

    def end(self):
        """Returns the end of the line, with a comment or not."""
        rng = self.rng
        if self.names.wanted():
            return "%s# %s\n" % (rng.choice([" ", "  ", "\t"]), self.names.next())
        return rng.choice(["", "", "", "", " "]) * (rng.random() < self.odd) + "\n"

    def lines(self, column):
        """Returns comments and blank lines in front of an entry."""
        out = ""
        while self.names.wanted():
            where = self.rng.choice([column, column, column, 0, column + 1, column + 3])
            out += " " * where + "#" + self.names.next() + "\n"
        if self.rng.random() < self.names.share / 2:
            out += self.rng.choice(["\n", "\n\n", "  \n"])
        return out

    def plain(self, text, flow):
        """Whether PyYAML reads the text as that string without quotes."""
        if not text or "\n" in text or "\t" in text or text.strip() != text or text in ("=", "<<"):
            return False
        try:
            return yaml.safe_load("[%s]" % text if flow else "k: " + text) == (
                [text] if flow else {"k": text})
        except yaml.YAMLError:
            return False

    def scalar(self, value, flow, key=False):
        rng = self.rng
        if value is None:
            return rng.choice(["null", "~"])
        if not isinstance(value, str):
            text = json.dumps(value)
            return text if yaml.safe_load(text) == value else "1.0e+20"
        if self.quote != '"' and "\n" not in value and "\t" not in value:
            if self.plain(value, flow) and (not self.quote or rng.random() < self.odd):
                return value
            if self.quote == "'" or rng.random() < 0.5:
                return "'" + value.replace("'", "''") + "'"
        # libyaml does not accept surrogates, as JSON writes them.
        return json.dumps(value, ensure_ascii="😀" not in value and rng.random() < 0.2)

    def in_flow(self, value, depth=0):
        rng = self.rng
        if not isinstance(value, (dict, list)):
            return self.scalar(value, True)
        opening, closing = "{}" if isinstance(value, dict) else "[]"

        def gap():
            if self.names.wanted() and rng.random() < 0.3:
                return " #" + self.names.next() + "\n" + " " * (12 + depth)
            return rng.choice(["", "", "", " ", "\n" + " " * (12 + depth)]) if rng.random() < 0.3 else ""

        items = []
        for item in value.items() if isinstance(value, dict) else value:
            if isinstance(value, dict):
                key = self.scalar(item[0], True, True)
                colon = rng.choice([": ", ": ", ": ", " : "])
                if key[0] in "'\"" and rng.random() < 0.2:
                    colon = ":"
                text = key + colon + self.in_flow(item[1], depth + 1)
                if item[1] is None and rng.random() < 0.3:
                    text = rng.choice([key, key + ": "])
                if rng.random() < self.odd:
                    text = "? " + text
            else:
                text = self.in_flow(item, depth + 1)
            items.append(gap() + text + gap())
        comma = rng.choice([", ", ",", " , "]) if rng.random() < self.odd else ", "
        last = "," if items and rng.random() < self.odd else ""
        return opening + comma.join(items) + last + (gap() if items else "") + closing

    def block_scalar(self, value, column):
        style = self.rng.choice("|||>")
        body = value.rstrip("\n")
        if not body or body[0] in " \t\n" or "\t" in body or style == ">" and "\n" in body:
            return None
        end = value[len(body):]
        chomp = "-" if not end else "" if end == "\n" else "+"
        out = style + chomp + (self.rng.random() < self.names.share and " # " + self.names.next() or "") + "\n"
        indent = " " * (column + self.rng.choice([1, 2, self.width]))
        for line in body.split("\n"):
            out += (indent + line if line else "") + "\n"
        return out + end[1:] + "\n" * (self.rng.random() < self.odd and chomp != "+")

    def after(self, value, column, dash):
        """Returns the text behind "key:" or "-" in a block at `column`, with its line's end."""
        rng = self.rng
        if rng.random() < self.anchors:
            if self.known and rng.random() < 0.5:
                return " *" + rng.choice(self.known) + self.end()
            text = self.in_flow(value) if isinstance(value, (dict, list)) else self.scalar(value, False)
            self.known.append("n%d" % len(self.known))
            return " &" + self.known[-1] + " " + text + self.end()
        if value is None and rng.random() < 0.4:
            return self.end()
        if not isinstance(value, (dict, list)):
            if isinstance(value, str) and rng.random() < 0.4:
                text = self.block_scalar(value, column)
                if text:
                    return " " + text
            if rng.random() < self.odd:
                return "\n" + " " * (column + 1) + self.scalar(value, False) + self.end()
            return rng.choice([" ", " ", " ", "  "]) + self.scalar(value, False) + self.end()
        if not value or rng.random() < self.flow:
            text = self.in_flow(value)
            return " " + text + self.end()
        if dash and rng.random() < 0.7:
            inner = column + rng.choice([2, 2, 2, 4])
            return " " * (inner - column - 1) + self.block(value, inner, True)
        inner = column + self.width
        if isinstance(value, list) and not dash:
            inner = column + self.list
        return self.end() + self.block(value, inner, False)

    def block(self, value, column, is_begun):
        rng = self.rng
        out = ""
        for item in value.items() if isinstance(value, dict) else value:
            if not is_begun:
                out += self.lines(column) + " " * column
            is_begun = False
            if isinstance(value, list):
                out += "-" + self.after(item, column, True)
                continue
            key = self.scalar(item[0], False, True)
            if rng.random() < self.odd:
                out += "? " + key + self.end()
                if item[1] is not None:
                    out += " " * column + ":" + self.after(item[1], column, True)
            else:
                colon = " :" if rng.random() < self.odd else ":"
                out += key + colon + self.after(item[1], column, False)
        return out

    def text(self, tree):
        rng = self.rng
        out = self.lines(0)
        if rng.random() < 0.1:
            out += "---" + self.end()
        if isinstance(tree, (dict, list)) and tree and rng.random() > 0.1:
            out += self.block(tree, rng.choice([0, 0, 0, 0, 0, 2]), False)
        elif isinstance(tree, (dict, list)):
            out += self.in_flow(tree) + self.end()
        else:
            out += self.scalar(tree, False) + self.end()
        return out + self.lines(0)


def stream(rng, trees):
    """Documents of YAML, one or more."""
    text = ""
    for i, tree in enumerate(trees):
        part = re.sub(r"c(\d+)c", r"c%d0\1c" % (i + 1), Yaml(rng).text(tree))
        has_start = re.match(r"(\s*(#.*)?\n)*---", part)
        text += part if not i or has_start else "---\n" + part
        if i + 1 < len(trees) and rng.random() < 0.2:
            text += "...\n"
    return ending(rng, text)


def ending(rng, text):
    if rng.random() < 0.15:
        text = text.rstrip("\n")
    if rng.random() < 0.15:
        text = text.replace("\n", "\r\n")
    return "\ufeff" + text if rng.random() < 0.05 else text


class Json:
    def __init__(self, rng, is_jsonc):
        self.rng, self.is_jsonc = rng, is_jsonc
        self.names = Names(rng, rng.choice([0, 0.1, 0.3]) if is_jsonc else 0)
        self.unit = rng.choice(["  ", "    ", "\t", " "])
        self.colon = rng.choice([": ", ": ", ":", " : "])
        self.lines = rng.choice([0, 0.5, 1, 1])
        self.trailing = is_jsonc and rng.random() < 0.3
        self.pad = rng.choice(["", "", " "])

    def comment(self):
        """Within a line."""
        return " /* %s */ " % self.names.next() if self.names.wanted() and self.rng.random() < 0.3 else ""

    def value(self, value, indent):
        rng = self.rng
        if not isinstance(value, (dict, list)):
            return json.dumps(value, ensure_ascii=rng.random() < 0.2)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        if not value:
            return opening + rng.choice(["", "", " "]) + closing
        lines = rng.random() < self.lines
        inner = indent + self.unit
        out = opening
        count = len(value)
        for i, item in enumerate(value.items() if isinstance(value, dict) else value):
            if lines:
                out += self.end()
                while self.names.wanted():
                    out += inner + "// " + self.names.next() + "\n"
                out += inner
            else:
                out += (" " if i else self.pad) + self.comment()
            if isinstance(value, dict):
                out += json.dumps(item[0], ensure_ascii=False) + self.comment() + self.colon
                item = item[1]
            out += self.value(item, inner) + self.comment()
            if i + 1 < count or self.trailing:
                out += ","
        if lines:
            out += self.end()
            while self.names.wanted():
                out += inner + "// " + self.names.next() + "\n"
            return out + indent + closing
        return out + self.comment() + self.pad + closing

    def end(self):
        return " // " + self.names.next() + "\n" if self.names.wanted() else "\n"

    def text(self, tree):
        out = ""
        while self.names.wanted():
            out += "// " + self.names.next() + "\n"
        return ending(self.rng, out + self.value(tree, "") + self.end())


# Reads again: trees, comments, and the places that an op is about.

class Loader(yaml.SafeLoader):
    """Reads keys that come twice, and times, as they are."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, regex) for tag, regex in resolvers if not tag.endswith("timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def strip_json(text):
    """Returns JSONC as JSON of the same length, and its comments' names with their offsets."""
    out, names, i = list(text), [], 0
    while i < len(text):
        if text[i] == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
            i += 1
        elif text.startswith("//", i) or text.startswith("/*", i):
            end = text.find("\n", i) if text[i + 1] == "/" else text.index("*/", i) + 2
            end = len(text) if end < 0 else end
            names += [(name, i) for name in re.findall(r"c\d+c", text[i:end])]
            out[i:end] = " " * (end - i)
            i = end
        else:
            i += 1
    plain = "".join(out)
    return re.sub(r",(\s*[\]}])", lambda m: " " + m.group(1), plain) if names is not None else plain, names


def read(form, text):
    text = text.lstrip("\ufeff")
    if form == "yaml":
        return list(yaml.load_all(text, Loader))
    if form == "jsonc":
        return [json.loads(jsonc(text))]
    return [json.loads(text)]


def jsonc(text):
    plain, _ = strip_json(text)
    # A comma behind the last value, which stands outside of strings.
    out, i = [], 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])', plain):
        out.append(plain[i:match.start()])
        out.append(match.group() if match.group()[0] == '"' else " ")
        i = match.end()
    return "".join(out) + plain[i:]


def comments(form, text):
    """Returns the names of the comments, with their offsets."""
    if form != "yaml":
        return strip_json(text)[1] if form == "jsonc" else []
    found, end = [], 0
    for token in yaml.scan(text, Loader):
        begin = token.start_mark.index
        spans = [(end, begin)]
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            spans.append((begin, text.find("\n", begin)))
        for first, last in spans:
            found += [(m.group(), m.start()) for m in re.finditer(r"c\d+c", text[first:last])
                      for m in [re.compile(r"c\d+c").match(text, first + m.start())]]
        end = token.end_mark.index
    return found


def node_end(node, text):
    if isinstance(node, yaml.ScalarNode):
        if node.style in ("|", ">"):
            body = text[:node.end_mark.index].rstrip(" \t\r\n")
            return max(len(body), node.start_mark.index + 1)
        return node.end_mark.index if node.style or node.value else node.start_mark.index
    if node.flow_style or not node.value:
        return node.end_mark.index
    last = node.value[-1]
    if isinstance(last, tuple):
        return max(node_end(last[0], text), node_end(last[1], text) if written(last[1]) else 0)
    return node_end(last, text) if written(last) else text.rfind("-", 0, last.start_mark.index + 1) + 1


def written(node):
    return not (isinstance(node, yaml.ScalarNode) and not node.style and not node.value)


def behind_deeper(text, end, column):
    """Returns the end of the comment lines behind the line of `end` that are indented deeper than the column."""
    end = at = (text + "\n").find("\n", end)
    while 0 <= at < len(text):
        line = text[at + 1:(text + "\n").find("\n", at + 1)]
        bare = line.lstrip(" ")
        if bare.startswith("#") and len(line) - len(bare) > column:
            end = at + 1 + len(line)
        elif bare.strip():
            break
        at += 1 + len(line)
    return end


def yaml_span(text, op):
    """Returns the offsets between which comments may be lost."""
    loader = Loader(text)
    node = None
    for _ in range(op["document"] + 1):
        loader.check_node()
        node = loader.get_node()
    key = None
    begin = node.start_mark.index
    for step in op["path"]:
        if isinstance(step, int):
            if step >= len(node.value):
                return None
            begin = node.start_mark.index if not step else node_end(node.value[step - 1], text)
            dash = re.compile(r"(?:\s|#.*)*-").match(text, begin)
            is_block = not node.flow_style
            node, key = node.value[step], None
            dash = dash.end() - 1 if dash and is_block else node.start_mark.index
            begin = node.start_mark.index
        else:
            pairs = [pair for pair in node.value if loader.construct_object(pair[0], True) == step] \
                if isinstance(node, yaml.MappingNode) else []
            if not pairs:
                return None
            key, node = pairs[-1]
            begin, dash = node.start_mark.index, key.start_mark.index
    if op["kind"] == "insert":
        return None
    end = node_end(node, text) if written(node) else begin
    if op["kind"] == "remove":
        begin = dash
        if key:
            end = max(end, key.end_mark.index)
        begin = text.rfind("\n", 0, begin) + 1 if text[text.rfind("\n", 0, begin) + 1:begin].strip(" -?\ufeff") == "" else begin
    elif isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
        return begin, end
    elif op["path"] and not isinstance(node, yaml.ScalarNode) and not node.flow_style:
        # All comments between the lines of a map or list go with it, and deeper ones below.
        begin = min(begin, text.find("\n", key.end_mark.index if key else dash))
        return begin, behind_deeper(text, end, dash - text.rfind("\n", 0, dash) - 1)
    return begin, (text + "\n").find("\n", end)


def json_span(form, text, op):
    """Likewise, by the driver's extents: there is no other way to find the comments of JSON."""
    return None


# Ops.

def paths(tree, at=()):
    yield at
    if isinstance(tree, dict):
        for key in tree:
            yield from paths(tree[key], at + (key,))
    elif isinstance(tree, list):
        for i, item in enumerate(tree):
            yield from paths(item, at + (i,))


def follow(tree, path):
    for step in path:
        tree = tree[step]
    return tree


def random_op(rng, tree):
    path = rng.choice(list(paths(tree)))
    here = follow(tree, path)
    new = value(rng, rng.choice([0, 0, 0, 1, 2]))
    kind = rng.randrange(4)
    if kind == 0 and path:
        return {"kind": "remove", "path": path}
    if kind == 1 and isinstance(here, list):
        return {"kind": "insert", "path": path + (rng.randrange(len(here) + 1),), "value": new}
    if kind <= 2 and (isinstance(here, dict) or here is None and rng.random() < 0):
        return {"kind": "set", "path": path + (rng.choice(NAMES + ["new"]),), "value": new}
    return {"kind": "set", "path": path, "value": new}


def adds(tree, op):
    """Whether the op adds an entry."""
    if op["kind"] == "set" and op["path"]:
        here = follow(tree, op["path"][:-1])
        return isinstance(here, dict) and op["path"][-1] not in here
    return op["kind"] == "insert"


def unshared(tree):
    """Returns a copy in which each alias is a value of its own."""
    if isinstance(tree, dict):
        return {key: unshared(item) for key, item in tree.items()}
    return [unshared(item) for item in tree] if isinstance(tree, list) else tree


def done(trees, op):
    trees = unshared(trees)
    trees[op["document"]] = done_to(trees[op["document"]], op)
    return trees


def done_to(tree, op):
    path = op["path"]
    if not path:
        return op["value"]
    here = follow(tree, path[:-1])
    if op["kind"] == "remove":
        del here[path[-1]]
    elif op["kind"] == "insert":
        here.insert(path[-1], op["value"])
    else:
        here[path[-1]] = op["value"]
    return tree


def same(a, b):
    """Equal, with types and with keys in their order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def above(text, offset):
    """Returns where the comment lines directly above the line begin: they may be removed with the value."""
    begin = text.rfind("\n", 0, offset) + 1
    while begin:
        line = text.rfind("\n", 0, begin - 1) + 1
        if not text[line:begin].lstrip("\ufeff \t").startswith(("#", "//", "/*")):
            break
        begin = line
    return begin


def fault(form, case, answer):
    """Returns what is wrong with an answer, or None."""
    text, trees, op = case
    edited, splices = answer[1], answer[2]
    if spliced(text, splices) != edited:
        return "the splices do not make the text"
    try:
        found = read(form, edited)
    except (yaml.YAMLError, ValueError) as error:
        return "does not parse: %s" % error
    if not same(found, done(trees, op)):
        return "another tree: %r" % found
    if "\r\n" in text and re.search("[^\r]\n", edited) and not re.search("[^\r]\n", text):
        return "mixed line ends"
    before, after = comments(form, text), [name for name, _ in comments(form, edited)]
    kept = [name for name, _ in before if name in set(after)]
    if kept != after:
        return "comments in another order: %r" % after
    lost = [item for item in before if item[0] not in set(after)]
    if not lost:
        return None
    if form == "yaml":
        span = yaml_span(text, op)
    else:
        span = None if op["kind"] == "insert" else case_span(text, case, answer)
    if span and op["kind"] == "remove":
        span = (above(text, span[0]),) + tuple(span[1:])
    for name, offset in lost:
        if not span or not span[0] <= offset <= span[1]:
            return "the comment %s is lost" % name
    return None


def case_span(text, case, answer):
    """JSON: from the first removed byte to the last, if these are in one entry's lines."""
    op = case[2]
    if op["kind"] == "set":
        try:
            follow(case[1][0], op["path"])
        except (KeyError, IndexError):
            return None
    begin = min(s[0] for s in answer[2] if s[1])
    end = max(s[0] + s[1] for s in answer[2] if s[1])
    data = text.encode()
    return len(data[:begin].decode()), len(data[:end].decode())


def random_tree(rng):
    tree = value(rng, 4)
    while rng.random() < 0.9 and not (isinstance(tree, (dict, list)) and tree):
        tree = value(rng, 4)
    return tree


def make_case(rng, form):
    while True:
        count = 2 if form == "yaml" and rng.random() < 0.1 else 1
        trees = [random_tree(rng) for _ in range(count)]
        text = stream(rng, trees) if form == "yaml" else Json(rng, form == "jsonc").text(trees[0])
        try:
            found = read(form, text)
        except (yaml.YAMLError, ValueError):
            if form != "yaml":
                raise
            continue
        if len(found) != count:
            continue
        document = rng.randrange(count)
        op = random_op(rng, found[document])
        op["document"] = document
        return text, found, op


def requests(form, cases):
    return [{"format": form, "text": text,
             "ops": [{"kind": op["kind"], "path": list(op["path"]), "document": op["document"],
                      "value": json.dumps(op.get("value"))}]} for text, _, op in cases]


def main():
    driver, form = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    rng = random.Random(seed)
    refused = faults = shared = 0
    for first in range(0, count, 1000):
        cases = [make_case(rng, form) for _ in range(min(1000, count - first))]
        check_undone(driver, form, [(text, op["kind"], list(op["path"]), op.get("value"))
                                    for text, trees, op in cases if len(trees) == 1 and adds(trees[0], op)])
        for case, answer in zip(cases, run(driver, requests(form, cases))):
            if answer[0] != "edited":
                is_shared = bool(re.search(r"an (alias|anchor)", answer[1]))
                shared += is_shared
                refused += not is_shared
                if is_shared and not re.search(r"[&*]n\d", case[0]):
                    sys.exit("no anchor is there: %s\n%s" % (answer[1], case[0]))
                if is_shared:
                    continue
                if "-v" in sys.argv:
                    print("refused: %s\n%r\n%s\n%s" % (answer[1], case[2], case[0], "-" * 40))
                continue
            wrong = fault(form, case, answer)
            if wrong:
                faults += 1
                if faults <= 10:
                    print("%s\n%r\n%r\n%s\n-->\n%s\n%s" % (
                        wrong, case[2], case[0], case[0], answer[1], "=" * 60))
    print("%s: %d edits, %d refused for anchors, %d for other reasons, %d wrong" % (
        form, count, shared, refused, faults))
    sys.exit(1 if faults or refused > count // 50 else 0)


if __name__ == "__main__":
    main()
