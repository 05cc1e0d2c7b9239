"""Texts for put.py: reads the values of each format, and writes them at random with comments.

Nothing of plyfs is used here: Python's own modules read JSON, YAML and TOML, and the writers are small enough to
be checked by reading them.
"""

import json
import re
import tomllib

import yaml

# Numbers whose text is the same in all formats, and words that look like another type.
WORDS = ["on", "web", "db", "x y", "80", "true", "null", "", "a: b", "a #b", "[z]", "ä", "it's", "1.10"]
PLAIN = ["web", "db", "alpha", "x y", "ä", "it's", "k8s"]


class Loader(yaml.SafeLoader):
    """Reads YAML as a tree, whatever the tags; a pair without a value is an Empty."""


class Empty:
    """`key:` with nothing behind it; null, but a map or list may begin there."""


def construct_any(loader, _suffix, node):
    if isinstance(node, yaml.MappingNode):
        loader.flatten_mapping(node)
        return {loader.construct_object(key, True): loader.construct_object(value, True)
                for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [loader.construct_object(value, True) for value in node.value]
    tag = loader.resolve(yaml.ScalarNode, node.value, (node.style is None, node.style is not None))
    return loader.construct_object(yaml.ScalarNode(tag, node.value, style=node.style), True)


Loader.add_multi_constructor("!", construct_any)
Loader.add_constructor("tag:yaml.org,2002:timestamp", yaml.SafeLoader.construct_yaml_str)


def typed(value):
    """A value that is equal to another only if their types are equal."""
    if isinstance(value, dict):
        return ("map", frozenset((key, typed(value[key])) for key in value))
    if isinstance(value, list):
        return ("list", tuple(typed(item) for item in value))
    return (type(value).__name__, value)


class Layout:
    """The layout of a text, and the comments in it with what they belong to."""

    def __init__(self, chance, prefix, mark, has_comments=True):
        self.chance = chance
        self.prefix = prefix
        self.mark = mark
        self.has_comments = has_comments
        self.comments = {}  # token: (kind, the keys and indices of the map or member)

    def token(self, kind, owner):
        name = f"c{self.prefix}x{len(self.comments)}e"
        self.comments[name] = (kind, tuple(owner))
        return name

    def head(self, indent, owner):
        """Returns comment lines before a member of the collection `owner`."""
        if not self.has_comments or self.chance.random() > 0.2:
            return []
        lines = [f"{indent}{self.mark} {self.token('head', owner)} of #1: [a, {{b"]
        return [""] + lines if self.chance.random() < 0.3 else lines

    def tail(self, owner):
        """Returns a comment on a member's own line."""
        if not self.has_comments or self.chance.random() > 0.2:
            return ""
        return f" {self.mark} {self.token('line', owner)}"


def end_lines(chance, lines):
    end = "\r\n" if chance.random() < 0.15 else "\n"
    text = end.join(lines)
    return text if chance.random() < 0.15 else text + end


# ---- YAML

def is_plain(text):
    """Whether it may stand without quotes, and is then read as a text."""
    return bool(re.fullmatch(r"[a-zäé][a-z0-9 äé]*'?[a-z0-9äé]", text)) and yaml.safe_load(text) == text


def yaml_scalar(chance, value, in_flow=False):
    if isinstance(value, Empty):
        return "~" if in_flow else ""
    if value is None:
        return chance.choice(["null", "~"])
    if not isinstance(value, str):
        return json.dumps(value)
    if is_plain(value) and chance.random() < 0.7:
        return value
    if chance.random() < 0.5 and not set(value) & set("\n\t"):
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=False)


def yaml_key(chance, key):
    if isinstance(key, str):
        return yaml_scalar(chance, key, True)
    return json.dumps(key)


def yaml_flow(chance, value, pad=None):
    pad = chance.choice(["", " "]) if pad is None else pad
    if isinstance(value, dict):
        inner = ", ".join(f"{yaml_key(chance, k)}: {yaml_flow(chance, v, pad)}" for k, v in value.items())
        return "{" + (pad + inner + pad if inner else "") + "}"
    if isinstance(value, list):
        inner = ", ".join(yaml_flow(chance, item, pad) for item in value)
        return "[" + (pad + inner + pad if inner else "") + "]"
    return yaml_scalar(chance, value, True)


class YamlWriter:
    def __init__(self, layout, tags):
        self.layout = layout
        self.chance = layout.chance
        self.step = self.chance.choice([2, 2, 2, 4, 3])
        self.indentless = self.chance.random() < 0.5
        self.tags = tags  # a function: returns the text before the value at a path

    def member(self, lines, start, indent, value, owner):
        """`start` is the begin of the line: a key and a colon, or a dash."""
        tag = self.tags(owner, value)
        tag = " " + tag if tag else ""
        is_item = start.rstrip().endswith("-")
        if isinstance(value, (dict, list)) and value and self.chance.random() < 0.75:
            if is_item and isinstance(value, dict) and not tag and self.chance.random() < 0.8:
                self.compact(lines, start, indent, value, owner)
                return
            lines.append(start + tag + self.layout.tail(owner))
            shift = self.step
            if isinstance(value, list) and not is_item and self.indentless:
                shift = 0
            self.block(lines, indent + shift, value, owner)
            return
        if isinstance(value, str) and value and not tag and self.chance.random() < 0.1 \
                and re.fullmatch(r"[a-z][a-z ]*[a-z]", value) and not isinstance(value, Empty):
            lines.append(f"{start} |-")
            lines.append(" " * (indent + self.step) + value)
            return
        written = yaml_flow(self.chance, value) if isinstance(value, (dict, list)) \
            else yaml_scalar(self.chance, value)
        lines.append(start + tag + (" " + written if written else "") + self.layout.tail(owner))

    def compact(self, lines, start, indent, value, owner):
        """- name: web"""
        inner = []
        width = 2
        for key, item in value.items():
            if inner:
                inner += self.layout.head(" " * (indent + width), owner)
            at = len(inner)
            self.member(inner, " " * (indent + width) + yaml_key(self.chance, key) + ":",
                        indent + width, item, owner + [key])
            if at == 0:
                inner[0] = start + " " + inner[0][indent + width:]
        lines += inner

    def anchored(self, tree):
        """Some values of the root come a second time, as aliases."""
        lines = []
        for key, value in tree.items():
            name = f"n{len(lines)}"
            written = yaml_flow(self.chance, value)
            lines.append(f"{yaml_key(self.chance, key)}: &{name} {written}" + self.layout.tail([key]))
        for key in list(tree)[:1]:
            tree["copy"] = tree[key]
            lines.append("copy: *n0")
        return lines

    def block(self, lines, indent, value, owner):
        pad = " " * indent
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in entries:
            lines += self.layout.head(pad, owner)
            start = pad + (yaml_key(self.chance, key) + ":" if isinstance(value, dict) else "-")
            self.member(lines, start, indent, item, owner + [key])


class Format:
    """The values that a format can hold, and how."""
    has_comments = True
    has_lists = True
    has_null = True
    depth = 3
    keys = ["a", "b", "c", "server", "port", "hosts", "jobs", "log", "x-y"]

    def scalar(self, chance):
        kind = chance.randrange(10)
        if kind < 3:
            return chance.choice([0, 1, 80, 443, -5, 8080, 3])
        if kind == 3:
            return chance.choice([1.5, 0.25, -2.5])
        if kind == 4:
            return chance.random() < 0.5
        if kind == 5 and self.has_null:
            return None
        return chance.choice(PLAIN if chance.random() < 0.6 else WORDS)

    def argument(self, chance, value):
        """Returns `value` as plyfs set takes it, which is YAML."""
        if isinstance(value, str) and is_plain(value) and chance.random() < 0.5:
            return value
        if chance.random() < 0.3:
            return yaml_flow(chance, value)
        return json.dumps(value, ensure_ascii=False)

    def typed_text(self, chance, tree):
        """Returns the whole file as a person might have typed it, without comments."""
        return self.write(Layout(chance, "t", "#", False), tree)


class Yaml(Format):
    name = "yaml"

    def read(self, text):
        """Of several documents the last one counts. In a source the strategy decides how they are merged."""
        trees = list(yaml.load_all(text, Loader))
        return trees[-1] if trees else None

    def write(self, layout, tree, tags=lambda owner, value: None):
        if not isinstance(tree, (dict, list)) or not tree:
            return "" if tree is None else yaml_flow(layout.chance, tree) + "\n"
        lines = []
        writer = YamlWriter(layout, tags)
        if layout.has_comments and isinstance(tree, dict) and layout.chance.random() < 0.05 \
                and not any(isinstance(value, Empty) for value in tree.values()):
            lines += writer.anchored(tree)
        else:
            writer.block(lines, 0, tree, [])
        lines += layout.head("", [])
        return end_lines(layout.chance, lines)


class Json(Format):
    name = "json"
    has_comments = False

    def read(self, text):
        return json.loads(text) if text.strip() else None

    def write(self, layout, tree):
        indent = layout.chance.choice([None, 2, 4, "\t", 1])
        separators = layout.chance.choice([None, (",", ":"), (",", " : ")]) if indent is None else None
        text = json.dumps(tree, indent=indent, separators=separators, ensure_ascii=layout.chance.random() < 0.5)
        return end_lines(layout.chance, text.split("\n"))


def strip_comments(text):
    """Returns JSON for JSONC: comments and the comma behind the last value are removed."""
    tokens = re.findall(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|\s+|[^\s"/]', text, re.S)
    kept = [token for token in tokens if not token.startswith("/")]
    joined = []
    for token in kept:
        if token in "]}":
            while joined and joined[-1].isspace():
                joined.pop()
            if joined and joined[-1] == ",":
                joined.pop()
        joined.append(token)
    return "".join(joined)


class Jsonc(Format):
    name = "jsonc"

    def read(self, text):
        stripped = strip_comments(text)
        return json.loads(stripped) if stripped.strip() else None

    def entry(self, lines, layout, indent, start, value, owner, is_last):
        comma = "" if is_last and layout.chance.random() < 0.7 else ","
        if isinstance(value, (dict, list)) and value and layout.chance.random() < 0.7:
            lines.append(indent + start + "[{"[isinstance(value, dict)] + layout.tail(owner))
            self.entries(lines, layout, indent + "  ", value, owner)
            lines.append(indent + "]}"[isinstance(value, dict)] + comma)
            return
        note = ""
        if layout.has_comments and layout.chance.random() < 0.15:
            note = f" /* {layout.token('line', owner)} */"
        lines.append(f"{indent}{start}{json.dumps(value)}{note}{comma}{layout.tail(owner)}")

    def entries(self, lines, layout, indent, value, owner):
        for i, key in enumerate(value):
            lines += layout.head(indent, owner)
            is_last = i + 1 == len(value)
            if isinstance(value, dict):
                self.entry(lines, layout, indent, json.dumps(key) + ": ", value[key], owner + [key], is_last)
            else:
                self.entry(lines, layout, indent, "", key, owner + [i], is_last)

    def write(self, layout, tree):
        lines = layout.head("", [])
        self.entry(lines, layout, "", "", tree, [], True)
        if lines[-1].endswith(","):
            lines[-1] = lines[-1][:-1]
        for i, line in enumerate(lines):  # no comma may stand behind the whole value
            if i + 1 == len(lines):
                lines[i] = re.sub(r",( //.*)?$", r"\1", line)
        return end_lines(layout.chance, lines)

    def typed_text(self, chance, tree):
        return self.write(Layout(chance, "t", "//", False), tree)


# ---- TOML

def toml_key(key):
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def toml_value(chance, value):
    if isinstance(value, str):
        return f"'{value}'" if "'" not in value and chance.random() < 0.4 else json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(chance, item) for item in value) + "]"
    if isinstance(value, dict):
        inner = ", ".join(f"{toml_key(k)} = {toml_value(chance, v)}" for k, v in value.items())
        return "{" + (f" {inner} " if inner else "") + "}"
    return json.dumps(value)


class Toml(Format):
    name = "toml"
    has_null = False

    def read(self, text):
        return tomllib.loads(text.replace("\r\n", "\n"))

    def pair(self, lines, layout, key, value, owner):
        lines += layout.head("", owner[:-1])
        if isinstance(value, list) and value and layout.chance.random() < 0.3:
            lines.append(f"{key} = [" + layout.tail(owner))
            for i, item in enumerate(value):
                lines.append(f"  {toml_value(layout.chance, item)}," + layout.tail(owner + [i]))
            lines.append("]")
        else:
            lines.append(f"{key} = {toml_value(layout.chance, value)}" + layout.tail(owner))

    def table(self, lines, layout, tree, owner, header):
        later = []
        for key, value in tree.items():
            if isinstance(value, dict) and layout.chance.random() < 0.7:
                later.append((key, value))
            elif isinstance(value, list) and value and all(isinstance(v, dict) for v in value) \
                    and layout.chance.random() < 0.7:
                later.append((key, value))
            else:
                self.pair(lines, layout, toml_key(key), value, owner + [key])
        for key, value in later:
            name = header + [toml_key(key)]
            for i, table in enumerate(value if isinstance(value, list) else [value]):
                place = owner + [key] + ([i] if isinstance(value, list) else [])
                lines += layout.head("", owner)
                brackets = "[[{}]]" if isinstance(value, list) else "[{}]"
                lines.append(brackets.format(".".join(name)) + layout.tail(place))
                self.table(lines, layout, table, place, name)

    def write(self, layout, tree):
        lines = []
        self.table(lines, layout, tree or {}, [], [])
        lines += layout.head("", [])
        return end_lines(layout.chance, lines)


# ---- Formats of texts

class Texts(Format):
    has_lists = False
    has_null = False
    depth = 1
    keys = ["a", "b", "c", "port", "log", "LEVEL"]

    def scalar(self, chance):
        return chance.choice(["on", "web", "80", "x y", "true", "1.10", "", "k8s", "a/b"])

    def argument(self, chance, value):
        if isinstance(value, str):
            return json.dumps(value) if chance.random() < 0.5 else value
        return json.dumps(value)


class Ini(Texts):
    name = "ini"
    depth = 2

    def read(self, text):
        tree, section = {}, None
        for line in text.splitlines():
            line = line.strip()
            if not line or line[0] in ";#":
                continue
            if line.startswith("["):
                section = tree.setdefault(line[1:line.index("]")], {})
                continue
            key, equals, value = line.partition("=")
            (tree if section is None else section)[key.strip()] = value.strip() if equals else None
        return tree

    def pairs(self, lines, layout, tree, owner):
        equals = layout.chance.choice(["=", " = "])
        for key, value in tree.items():
            lines += layout.head("", owner)
            lines.append(f"{key}{equals}{value}".rstrip() if value != "" else f"{key}{equals}".rstrip())

    def write(self, layout, tree):
        lines = []
        self.pairs(lines, layout, {k: v for k, v in tree.items() if not isinstance(v, dict)}, [])
        for key, value in tree.items():
            if isinstance(value, dict):
                lines += layout.head("", [])
                lines.append(f"[{key}]")
                self.pairs(lines, layout, value, [key])
        lines += layout.head("", [])
        return end_lines(layout.chance, lines)


class Env(Texts):
    name = "env"
    keys = ["A", "B", "PORT", "LOG", "LEVEL", "c"]

    def read(self, text):
        tree = {}
        for line in text.splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            key, _, value = line.removeprefix("export ").partition("=")
            value = value.strip()
            quoted = re.match(r"(['\"])(.*?)\1", value)
            tree[key.strip()] = quoted.group(2) if quoted else re.sub(r"\s#.*", "", value).strip()
        return tree

    def write(self, layout, tree):
        lines = []
        for key, value in tree.items():
            lines += layout.head("", [])
            quote = layout.chance.choice(["'", '"', ""]) if " " not in value and value else "'"
            export = layout.chance.choice(["", "", "export "])
            lines.append(f"{export}{key}={quote}{value}{quote}" + layout.tail([key]))
        lines += layout.head("", [])
        return end_lines(layout.chance, lines)


class Properties(Texts):
    name = "properties"
    keys = ["a", "b", "server.port", "log", "level"]

    def read(self, text):
        tree = {}
        for line in text.splitlines():
            line = line.lstrip()
            if not line or line[0] in "#!":
                continue
            match = re.match(r"((?:\\.|[^\s=:\\])*)\s*[=:]?\s*(.*)$", line)
            tree[re.sub(r"\\(.)", r"\1", match.group(1))] = re.sub(r"\\(.)", r"\1", match.group(2))
        return tree

    def write(self, layout, tree):
        lines = []
        for key, value in tree.items():
            lines += layout.head("", [])
            lines.append(f"{key}{layout.chance.choice(['=', ' = ', ': '])}{value}")
        lines += layout.head("", [])
        return end_lines(layout.chance, lines)


FORMATS = {f.name: f for f in (Yaml(), Json(), Jsonc(), Toml(), Ini(), Env(), Properties())}
MARKS = {"jsonc": "//"}
