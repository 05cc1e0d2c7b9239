"""Works out what a mount of some layers must show, the naive way: every path from nothing.

show(settings, layers) returns {path: Shown}. The rules are those of plyfs(1), plyfs.yaml(5) and plyfs-merge(7), as
far as the test's own layers need them.
"""
import fnmatch
import json
import os
import re
import stat
import sys
import tomllib

import yaml

import records

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../model"))
import documents  # pylint: disable=wrong-import-position

MARK = ".wh."
OPAQUE = ".wh..wh..opq"
BROKEN = object()  # it can't be read, or merged
DELETE = object()


class Shown:
    def __init__(self, kind, mode=None, data=None, tree=None, target=None):
        self.kind, self.mode, self.data, self.tree, self.target = kind, mode, data, tree, target


# ---- Union

class Layer:
    def __init__(self, name, top, follows):
        self.name, self.top, self.follows = name, top, follows

    def stat(self, path):
        """None: there is nothing."""
        name = path.rsplit("/", 1)[-1]
        if self.follows and name.startswith(".."):
            return None
        if name.endswith("~"):
            return None
        try:
            return (os.stat if self.follows else os.lstat)(os.path.join(self.top, path))
        except OSError:
            return None

    def read(self, path):
        with open(os.path.join(self.top, path), "rb") as file:
            return file.read()

    def names(self, path):
        try:
            return os.listdir(os.path.join(self.top, path))
        except OSError:
            return []

    def has_mark(self, directory, name):
        return os.path.lexists(os.path.join(self.top, directory, name))


def kind_of(mode):
    return {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}.get(stat.S_IFMT(mode))


def look_up(layers, path):
    """Returns (kind, the layers that show it, the highest first)."""
    kind, found = None, []
    directory, _, name = path.rpartition("/")
    for layer in reversed(layers):
        status = layer.stat(path)
        its = kind_of(status.st_mode) if status else None
        if its and kind and its != kind:
            break
        if its:
            kind = its
            found.append(layer)
            if its == "link":
                break
        if status and stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
            break
        if its == "directory" and layer.has_mark(path, OPAQUE):
            break
        if path and layer.has_mark(directory, MARK + name):
            break
    return kind, found


def names_in(layers, path):
    names = {name for layer in layers for name in layer.names(path) if not name.startswith(MARK)}
    return sorted(names, key=os.fsencode)


# ---- Sources, expanded

def is_ignored(name):
    return name.startswith(".") or name.endswith("~")


def matches(path, pattern):
    """Expands patterns of one name, or of a directory and a name."""
    return pattern.count("/") == path.count("/") and all(map(fnmatch.fnmatchcase, path.split("/"), pattern.split("/")))


class Union:
    """Returns the tree before expansion: {path: (kind, layers, highest first)}."""

    def __init__(self, layers):
        self.found = {}
        self.layers = layers
        self.walk("", look_up(layers, "")[1])

    def walk(self, path, layers):
        self.found[path] = ("directory", layers)
        lowest_first = [layer for layer in self.layers if layer in layers]
        for name in names_in(lowest_first, path):
            inner = f"{path}/{name}" if path else name
            kind, found = look_up(lowest_first, inner)
            if kind == "directory":
                self.walk(inner, found)
            elif kind:
                self.found[inner] = (kind, found)

    def has(self, layer, path):
        kind, layers = self.found.get(path, (None, []))
        return kind == "file" and layer in layers

    def files_of(self, layer, directory):
        prefix = f"{directory}/" if directory else ""
        return sorted((path for path in self.found if path.startswith(prefix) and "/" not in path[len(prefix):]
                       and path and self.has(layer, path) and not is_ignored(path[len(prefix):])), key=os.fsencode)


def virtual_sources(union, patterns):
    found = []
    for layer in union.layers:
        for pattern in patterns:
            for path in union.files_of(layer, os.path.dirname(pattern)):
                if matches(path, pattern) and (layer, path) not in found:
                    found.append((layer, path))
    return found


def drop_in_sources(union, path):
    """dropins: layers, for a YAML file: files of formats with maps and lists are merged into it."""
    found = []
    for layer in union.layers:
        if union.has(layer, path):
            found.append((layer, path))
        if union.found.get(path + ".d", (None,))[0] == "directory":
            found += [(layer, inner) for inner in union.files_of(layer, path + ".d")
                      if inner.endswith((".yaml", ".json", ".toml"))]
    return found


# ---- Values

def parse(ending, data):
    """Returns the tree of a source; None for one without an opinion, BROKEN for one that can't be read."""
    try:
        if ending == "yaml":
            return yaml.load(data.decode(), Loader)
        if ending == "docs":
            return parse_documents(data.decode())
        if ending == "json":
            return json.loads(data) if data.strip() else None
        if ending == "toml":
            return tomllib.loads(data.decode())
        return parse_lines(ending, data.decode())
    except (ValueError, yaml.YAMLError):
        return BROKEN


class Loader(yaml.CSafeLoader):
    pass


Loader.add_constructor("!delete", lambda loader, node: DELETE)


def parse_documents(text):
    loader, found = yaml.CSafeLoader(text), []
    while loader.check_node():
        node = loader.get_node()
        tag = node.tag if node.tag.startswith("!") else None
        if tag:
            node.tag = "tag:yaml.org,2002:map"
        found.append(documents.Document(loader.construct_document(node), tag))
    return found


def parse_lines(ending, text):
    """Returns None if no line has a value: only an empty TOML file is an empty table."""
    tree = section = {}
    for line in text.splitlines():
        header = re.fullmatch(r"\[(.*)\]", line)
        key, equals, value = line.partition("=")
        if ending == "ini" and header:
            section = tree.setdefault(header.group(1), {})
        elif ending == "ini" and line.startswith("["):
            return BROKEN
        elif line.startswith("broken="):
            return BROKEN
        elif equals:
            section[key.strip()] = value.strip()
    return tree or None


def deep(lower, higher, lists):
    """A deleted key keeps its place, in case it comes back."""
    result = dict(lower)
    for key, value in higher.items():
        old = result.get(key)
        if value is DELETE:
            if key in result:
                result[key] = DELETE
        elif isinstance(old, dict) and isinstance(value, dict):
            result[key] = deep(old, value, lists)
        elif isinstance(old, list) and isinstance(value, list):
            result[key] = {"replace": value, "append": old + value, "prepend": value + old,
                           "unique": old + [item for item in value if item not in old]}[lists]
        else:
            result[key] = value
    return result


def shallow(lower, higher):
    """cfengine; salt with `level: false`; cloud-init without merge_how"""
    return {**lower, **higher}


def pillar(lower, higher):
    """The higher one's items come first."""
    result = dict(higher)
    for key, value in lower.items():
        mine = result.get(key)
        if key not in result:
            result[key] = value
        elif isinstance(mine, dict) and isinstance(value, dict):
            result[key] = pillar(value, mine)
        elif isinstance(mine, list) and isinstance(value, list):
            result[key] = mine + [item for item in value if item not in mine]
    return result


VERBATIM = {"deep", "last", "first", "concat", "lines"}


def merge_trees(rule, trees):
    strategy = rule["strategy"]
    trees = [tree for tree in trees if tree is not None]
    is_broken = any(tree is BROKEN or (strategy != "deep" and not isinstance(tree, dict)) for tree in trees)
    if is_broken:
        return BROKEN
    result = {}
    for tree in trees:
        if strategy == "deep" and not (isinstance(result, dict) and isinstance(tree, dict)):
            result = tree
        elif strategy == "deep":
            result = deep(result, tree, rule.get("lists", "replace"))
        elif strategy == "pillar":
            result = pillar(result, tree)
        else:
            result = shallow(result, tree)
    if strategy == "deep" and isinstance(result, dict):
        return {key: value for key, value in result.items() if value is not DELETE}
    return result


def merge_documents(rule, sources):
    """Returns the list of the roots; see documents.py."""
    if any(source is BROKEN for source in sources):
        return BROKEN
    try:
        return documents.without_end(documents.expected(sources, rule.get("documents")))
    except documents.Wrong:
        return BROKEN


def lines_of(data):
    return data.decode().split("\n")[:-1] if data.endswith(b"\n") else data.decode().split("\n")


def merge_texts(strategy, texts):
    if strategy == "last":
        return texts[-1]
    if strategy == "first":
        return texts[0]
    if strategy == "concat":
        return b"".join(text if text.endswith(b"\n") or not text or text is texts[-1] else text + b"\n" for text in texts)
    if len(texts) == 1:
        return texts[0]
    every = dict.fromkeys(line for text in texts for line in (lines_of(text) if text else []))
    return "".join(f"{line}\n" for line in every).encode()


def has_directive(data):
    return b"!delete" in data or b"!replace" in data


def merged(rule, path, sources):
    """Returns (bytes or None, tree or None) of [(layer, path)], lowest first."""
    texts = [layer.read(place) for layer, place in sources]
    strategy = rule["strategy"]
    if strategy not in ("last", "first", "concat", "lines"):
        formats = [records.format_of(place) or records.format_of(path) for _, place in sources]
        if formats == [records.format_of(path)] and strategy == "deep" and not has_directive(texts[0]):
            return texts[0], None
        trees = [parse(*pair) for pair in zip(formats, texts)]
        return None, merge_documents(rule, trees) if "docs" in formats else merge_trees(rule, trees)
    return merge_texts(strategy, texts), None


def rule_of(settings, path):
    for rule in settings["rules"]:
        if fnmatch.fnmatchcase(path.rsplit("/", 1)[-1], rule["match"].rsplit("/", 1)[-1]):
            return rule
    return {"strategy": "deep" if records.format_of(path) else "last"}


# ---- The whole tree

def let_through(mode):
    """Returns the rights that are left: a user who can't search a directory of that mode can't read in it."""
    search = mode & 0o111
    return search | search << 2 | 0o500


def guarding(layer, place, path):
    """Returns the rights that are left by directories that are not above the path itself."""
    mode = 0o777
    directory = os.path.dirname(place)
    while directory and not path.startswith(directory + "/"):
        mode &= let_through(layer.stat(directory).st_mode)
        directory = os.path.dirname(directory)
    return mode & behind_link(layer, os.path.join(layer.top, place))


def behind_link(layer, place):
    """Returns the rights that are left by the directories to which a link leads, up to the layer or to the root."""
    mode = 0o777
    target, above = os.path.realpath(place), os.path.realpath(os.path.dirname(place))
    if not layer.follows or target == os.path.join(above, os.path.basename(place)):
        return mode
    directory, last = os.path.dirname(target), None
    while directory != last and directory != os.path.realpath(layer.top):
        mode &= let_through(os.stat(directory).st_mode)
        directory, last = os.path.dirname(directory), directory
    return mode


def file_shown(union, rule, path, sources):
    strategy = rule["strategy"]
    looked_at = {"last": sources[-1:], "first": sources[:1]}.get(strategy, sources)
    mode = 0o555
    for layer, place in looked_at:
        mode &= layer.stat(place).st_mode & guarding(layer, place, path)
    data, tree = merged(rule, path, sources)
    return Shown("file", mode, data, tree)


def show(settings, tops):
    layers = [Layer(name, top, name in settings["follow"]) for name, top in tops]
    union = Union(layers)
    shown = {}
    for path, (kind, found) in union.found.items():
        if kind == "link":
            shown[path] = Shown("link", target=os.readlink(os.path.join(found[0].top, path)))
        elif kind == "directory":
            mode = 0o555
            for layer in found:
                mode &= layer.stat(path).st_mode & behind_link(layer, os.path.join(layer.top, path))
            shown[path] = Shown("directory", mode)
        else:
            rule = rule_of(settings, path)
            sources = [(layer, path) for layer in reversed(found)]
            if rule.get("dropins"):
                sources = drop_in_sources(union, path)
            shown[path] = file_shown(union, rule, path, sources)
    for path, (kind, _) in union.found.items():
        made = path[:-2]
        rule = rule_of(settings, made)
        if kind == "directory" and path.endswith(".d") and rule.get("dropins") and made not in shown:
            sources = drop_in_sources(union, made)
            if sources:
                shown[made] = file_shown(union, rule, made, sources)
    for virtual in settings["files"]:
        path = virtual["path"]
        sources = virtual_sources(union, virtual["from"])
        if not sources:
            continue
        shown[path] = file_shown(union, virtual, path, sources)
    del shown[""]
    return shown


def difference(path, shown, facts):
    """Returns what is wrong with what a mount shows at a path, in the form of trees.read(); None: nothing."""
    if shown is None or facts is None:
        return f"{path}: {'the mount' if shown is None else 'the model'} alone has it: {facts}"
    if isinstance(facts, int):
        return None if shown.tree is BROKEN else f"{path}: error {facts}"
    kind = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}[facts["kind"]]
    if kind != shown.kind or facts["listed"] != facts["kind"]:
        return f"{path}: it is a {kind}, listed as {facts['listed']:o}, and not a {shown.kind}"
    if kind == "link":
        return None if facts["target"] == shown.target else f"{path}: it leads to {facts['target']}, and not to {shown.target}"
    if shown.mode is not None and facts["mode"] != shown.mode:
        return f"{path}: its mode is {facts['mode']:o}, and not {shown.mode:o}"
    return wrong_bytes(path, shown, facts["bytes"]) if kind == "file" else None


def wrong_bytes(path, shown, data):
    if shown.tree is None:
        return None if data == shown.data else f"{path}: it has {data[:300]}, and not {shown.data[:300]}"
    tree = parse(records.format_of(path), data)
    if records.format_of(path) == "docs" and tree is not BROKEN:
        tree = documents.without_end([document.root for document in tree])
    tree = {} if tree is None else tree
    if shown.tree is BROKEN or tree is BROKEN or in_order(tree) != in_order(shown.tree):
        return f"{path}: it is {tree}, and not {shown.tree}"
    return None


def in_order(tree):
    """TOML's tables come behind its values; the comparison assumes that for all formats."""
    if isinstance(tree, list):
        return [in_order(each) for each in tree]
    if not isinstance(tree, dict):
        return tree
    pairs = [(key, in_order(value)) for key, value in tree.items()]
    return [pair for pair in pairs if not isinstance(tree[pair[0]], dict)] + \
        [pair for pair in pairs if isinstance(tree[pair[0]], dict)]
