#!/usr/bin/python3
"""Checks the laws of put, on random layers, for `plyfs set`, `unset` and `edit`.

    put.py DRIVER PLYFS [COUNT [SEED [ONLY]]]

DRIVER is the program built from put_driver.c, which does what the commands do; a part of the rounds uses the
command PLYFS itself. Skipped (77) if PyYAML is missing. ONLY is a part of a round's name, such as "deep" or
"pillar yaml". The laws:

- The merged file has the value that was put, and is otherwise as it was, typed.
- Or the change is refused, with a message, and no byte of any layer has changed. It must not be refused if no rule
  of merging stands in the way.
- Putting a value that is there changes no byte, and putting twice is putting once.
- Only the named file has changed, in the layer that was asked for; no other path has.
- No comment is lost except in removed values.

This script computes the wanted result from the merged file before, which Python reads.
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
    import put_formats
except ImportError:
    put_formats = None

SKIPPED = 77
COMMANDS = 0.04  # of the changes: made by the command itself
SEVERAL = 0.15  # of the rounds: several values at once


class Invalid(Exception):
    """The op leads nowhere: it must be refused."""


class Unclear(Exception):
    """The op may be refused or done."""


class Broken(Exception):
    """A law is broken."""


# ---- The meaning of an op

MISSING = object()


def find(tree, step):
    kind, key = step[0], step[1]
    if kind == "key" and isinstance(tree, dict):
        return tree.get(key, MISSING)
    if kind == "index" and isinstance(tree, list) and key < len(tree):
        return tree[key]
    if kind == "match" and isinstance(tree, list):
        for item in tree:
            if isinstance(item, dict) and item.get(key) == step[2]:
                return item
    return MISSING


def place_of(items, step):
    """Returns where the existing item stands."""
    return step[1] if step[0] == "index" else next(i for i, item in enumerate(items) if item is find(items, step))


def made(steps, value):
    """Returns the new value of a missing place, so that the steps lead to `value`."""
    if not steps:
        return value
    kind, key = steps[0][0], steps[0][1]
    if kind == "key":
        return {key: made(steps[1:], value)}
    if kind == "index" and key:
        raise Invalid
    inner = made(steps[1:], value)
    if kind == "match":
        if not isinstance(inner, dict) or inner.get(key, steps[0][2]) != steps[0][2]:
            raise Invalid
        inner = {key: steps[0][2], **inner}
    return [inner]


def with_set(tree, steps, value):
    """Returns the tree with `value` at the steps."""
    if not steps:
        return value
    if tree is MISSING:
        return made(steps, value)
    if isinstance(tree, (put_formats.Empty, type(None))):
        made(steps, value)
        raise Unclear
    kind, key = steps[0][0], steps[0][1]
    if isinstance(tree, dict) != (kind == "key") or not isinstance(tree, (dict, list)):
        raise Invalid
    if isinstance(tree, dict):
        return {**tree, key: with_set(tree.get(key, MISSING), steps[1:], value)}
    if kind == "end":
        return tree + made([("index", 0)] + steps[1:], value)
    there = find(tree, steps[0])
    if there is MISSING:
        if kind == "index":
            raise Invalid
        return tree + made(steps, value)
    if kind == "match" and len(steps) == 1 and isinstance(value, dict):
        value = {key: steps[0][2], **value}
    at = place_of(tree, steps[0])
    return tree[:at] + [with_set(there, steps[1:], value)] + tree[at + 1:]


def without(tree, steps):
    there = find(tree, steps[0])
    if there is MISSING:
        raise Invalid
    if len(steps) > 1:
        there = without(there, steps[1:])
    if isinstance(tree, dict):
        kept = {key: value for key, value in tree.items() if key != steps[0][1]}
        return {**tree, steps[0][1]: there} if len(steps) > 1 else kept
    at = place_of(tree, steps[0])
    return tree[:at] + ([there] if len(steps) > 1 else []) + tree[at + 1:]


def value_names(steps, value, at):
    """Whether [name=web] finds another item afterwards."""
    rest = steps[at + 1:]
    if not rest:
        return not isinstance(value, dict) or value.get(steps[at][1], steps[at][2]) != steps[at][2]
    return rest == [("key", steps[at][1])]


def key_text(steps):
    text = ""
    for kind, key, *value in steps:
        if kind == "key":
            quoted = json.dumps(key, ensure_ascii=False)
            word = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else quoted
            # In a file with sections, a word behind a dot may belong to the name in front.
            text += f"[{quoted}]" if text.count(".") else ("." if text else "") + word
        else:
            text += {"index": f"[{key}]", "end": "[+]"}.get(kind) or f"[{key}={value[0]}]"
    return text


# ---- Layers

def is_tables(value):
    return isinstance(value, list) and value and all(isinstance(item, dict) for item in value)


class Trees:
    """Returns random values of a format, similar in all layers."""

    def __init__(self, chance, form):
        self.chance = chance
        self.form = form

    def jobs(self):
        names = self.chance.sample(["web", "db", "cron", "mail"], self.chance.randrange(4))
        return [{"name": name, **self.map(1, ["port", "log", "a"])} for name in names]

    def value(self, depth, key=None):
        form, chance = self.form, self.chance
        if form.has_lists and depth > 0:
            if key == "hosts" and chance.random() < 0.9:
                return [form.scalar(chance) for _ in range(chance.randrange(4))]
            if key == "jobs" and chance.random() < 0.9:
                return self.jobs()
            if chance.random() < 0.08:
                return [self.value(depth - 1) for _ in range(chance.randrange(3))]
        if depth > 0 and chance.random() < (0.8 if key == "server" else 0.25):
            return self.map(depth)
        return form.scalar(chance)

    def map(self, depth, keys=None):
        keys = keys or self.form.keys
        count = self.chance.randrange(min(5, len(keys)))
        return {key: self.value(depth - 1, key) for key in self.chance.sample(keys, count)}

    def root(self):
        form = self.form
        tree = {key: self.value(form.depth - 1, key)
                for key in self.chance.sample(form.keys, self.chance.randrange(1, 6))}
        if form.name == "ini":
            tree = {f"sec-{key}" if isinstance(value, dict) else key: value for key, value in tree.items()}
        return tree


LISTS = ["replace", "append", "prepend", "unique", "repeat",
         {"jobs": {"by": "name"}}, {"**": {"by": "name"}}, {"**": {"by": ["port", "name"], "twice": True}},
         {"hosts": "append", "jobs": {"by": "name"}},
         {"**.hosts": "unique", "server.*": "prepend"}, {"hosts": "append", "**": "replace"}]


def rule_of(chance, strategy, form):
    options = {}
    if strategy == "deep":
        if form.has_lists and chance.random() < 0.8:
            options["lists"] = chance.choice(LISTS)
        if chance.random() < 0.1:
            options["delete"] = chance.choice([["a"], ["server.port"], ["b", "c"]])
    elif strategy == "salt":
        options["level"] = chance.choice([False, True, True, 1, 2])
    return options


DIRECTIVES = {"deep": {dict: ["!replace"], list: ["!append", "!prepend", "!replace", "!unique"],
                       str: ["!delete", "!replace"]},
              "salt": {dict: ["!aggr-map", "!aggregate"], list: ["!aggr-seq", "!aggregate"],
                       str: ["!aggregate", "!aggr-scalar"]}}


class Round:
    def __init__(self, chance, directory, laws):
        self.chance = chance
        self.laws = laws
        self.directory = directory
        self.strategy = chance.choice(["deep"] * 6 + ["salt", "cfengine", "cloud-init", "pillar"])
        names = ["yaml"] * 4 + ["json", "jsonc", "toml"]
        if self.strategy == "deep":
            names += ["json", "jsonc", "toml", "ini", "env", "properties"]
        self.form = put_formats.FORMATS[chance.choice(names)]
        if self.strategy in ("cloud-init", "pillar"):
            self.form = put_formats.FORMATS["yaml"]
        self.layers = ["vendor", "site", "host"][:chance.choice([1, 2, 2, 2, 3, 3])]
        self.path = ("hosts/" if self.strategy == "pillar" else "") + "app." + self.form.name
        self.other = "other." + self.form.name
        self.dropins = self.form.name != "yaml" and self.strategy == "deep" and chance.random() < 0.3
        self.config = os.path.join(directory, "plyfs.yaml")
        self.comments = {}
        self.make()

    def name(self):
        return f"{self.strategy} {self.form.name}"

    def make(self):
        rule = {"match": [self.path, self.other], "strategy": self.strategy,
                "options": rule_of(self.chance, self.strategy, self.form)}
        if self.dropins:
            rule["dropins"] = "layers"
        self.rule = rule
        self.write_file(self.config, json.dumps({"layers": self.layers, "rules": [rule]}))
        for layer in self.layers:
            os.mkdir(os.path.join(self.directory, layer))
        held = self.chance.sample(self.layers, self.chance.randrange(1, len(self.layers) + 1))
        for layer in held:
            self.make_source(layer, self.path)
        for layer in self.layers:
            self.make_source(layer, self.other)
        if self.strategy == "pillar":
            self.make_source(self.chance.choice(self.layers), "base.yaml")
        if self.dropins:
            for layer in self.chance.sample(self.layers, self.chance.randrange(len(self.layers))):
                self.make_source(layer, self.path + ".d/50-more.yaml", put_formats.FORMATS["yaml"])

    def write_file(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(text)

    def tags(self, form):
        words = DIRECTIVES.get(self.strategy)

        def choose(_owner, value):
            if not words or self.chance.random() > 0.04:
                return None
            kind = dict if isinstance(value, dict) else list if isinstance(value, list) else str
            return self.chance.choice(words[kind])
        return choose if form.name == "yaml" else None

    def make_source(self, layer, path, form=None):
        form = form or self.form
        tree = Trees(self.chance, self.form).root()
        if self.strategy == "pillar" and path.startswith("hosts/") and self.chance.random() < 0.5 \
                and os.path.isdir(os.path.join(self.directory, self.layers[0])):
            tree = {"_merge": "base", **tree}
            if not any(os.path.exists(os.path.join(self.directory, l, "base.yaml")) for l in self.layers):
                self.make_source(self.layers[0], "base.yaml")
        if form.name == "yaml" and self.chance.random() < 0.1:
            tree[self.chance.choice(self.form.keys)] = put_formats.Empty()
        name = os.path.join(self.directory, layer, path)
        layout = put_formats.Layout(self.chance, f"{layer[0]}{len(self.comments)}",
                                    put_formats.MARKS.get(form.name, "#"), form.has_comments)
        tags = self.tags(form)
        text = form.write(layout, tree, tags) if tags else form.write(layout, tree)
        if form.name == "yaml" and self.strategy != "cloud-init" and self.chance.random() < 0.05:
            end = "" if text.endswith("\n") else "\n"
            text += end + "---\n" + form.write(layout, Trees(self.chance, self.form).root())
        if self.strategy == "cloud-init":
            text = "#cloud-config\n" + text
        if form.name == "yaml" and self.chance.random() < 0.1:
            text = "---" + ("\r\n" if "\r\n" in text else "\n") + text
        self.write_file(name, text)
        self.comments[os.path.join(layer, path)] = layout.comments

    # ---- Reading

    def snapshot(self):
        files = {}
        for layer in self.layers:
            for place, _directories, names in os.walk(os.path.join(self.directory, layer)):
                for name in names:
                    path = os.path.join(place, name)
                    with open(path, "rb") as file:
                        files[os.path.relpath(path, self.directory)] = file.read()
        return files

    def cat(self, path):
        answer = self.laws.ask(["cat", self.config, path])
        if answer[0] == "error":
            return ("error", answer[1])
        return answer[1] if answer[0] == "text" else None

    def read(self, text):
        return MISSING if text is None else self.form.read(text)

    def own_tree(self, layer, files):
        """Returns the value in the layer's own source; MISSING: it has none."""
        content = files.get(os.path.join(layer, self.path))
        return MISSING if content is None else self.form.read(content.decode())

    # ---- Choosing a change

    def value(self):
        return Trees(self.chance, self.form).value(self.chance.choice([0, 0, 0, 0, 1, 2]))

    def steps(self, tree):
        """Returns the path to a value in the tree, or to one that could be there."""
        steps, chance = [], self.chance
        depth = 0
        while True:
            depth += 1
            if isinstance(tree, dict):
                new = not tree or chance.random() < 0.15
                key = chance.choice(self.form.keys) if new else chance.choice(list(tree))
                if self.form.name == "ini" and new and depth == 1:
                    key = "sec-" + key if chance.random() < 0.3 else key
                if key == "_merge":
                    key = "a"
                steps.append(("key", key))
                if self.form.has_lists and chance.random() < 0.03:
                    steps[-1] = chance.choice([("index", 0), ("end", None), ("match", "name", "web")])
            elif isinstance(tree, list):
                steps.append(self.item(tree))
            else:
                if tree is MISSING and chance.random() < 0.3 and depth < self.form.depth:
                    steps.append(("key", chance.choice(self.form.keys)))
                elif tree is MISSING and chance.random() < 0.1 and self.form.has_lists:
                    steps.append(chance.choice([("index", 0), ("end", None), ("match", "name", "web")]))
                elif tree is not MISSING and self.form.depth > 1 and chance.random() < 0.03:
                    steps.append(("key", "a"))
                return steps
            tree = find(tree, steps[-1])
            if isinstance(tree, (dict, list)) and chance.random() < 0.2:
                return steps

    def item(self, items):
        names = [item["name"] for item in items if isinstance(item, dict) and isinstance(item.get("name"), str)
                 and re.fullmatch("[a-z]+", item["name"])]
        roll = self.chance.random()
        if names and roll < 0.5:
            return ("match", "name", self.chance.choice(names))
        if roll < 0.6 and names:
            return ("match", "name", "new")
        if not items or roll < 0.8:
            return ("end", None)
        return ("index", self.chance.randrange(len(items) + (self.chance.random() < 0.1)))

    def sets(self, tree):
        count = 1 if self.chance.random() > SEVERAL else self.chance.randrange(2, 5)
        chosen = []
        for _ in range(count):
            steps = self.steps({} if tree is MISSING or tree is None else tree)
            if self.form.name == "ini" and len(steps) == 1 and steps[0][1].startswith("sec-"):
                steps.append(("key", "a"))
            value = self.value()
            if steps[-1][0] in ("match", "end") and self.form.has_lists and self.chance.random() < 0.6 \
                    and steps[-1][0] == "match":
                value = {"port": self.form.scalar(self.chance)}
            chosen.append((steps, value))
        return chosen

    def unsets(self, tree):
        count = 1 if self.chance.random() > SEVERAL else self.chance.randrange(2, 4)
        chosen = []
        for _ in range(count):
            steps = self.steps(tree)
            if steps[-1][0] == "end":
                steps[-1] = ("index", 0)
            if steps not in chosen and not any(steps[:len(other)] == other or other[:len(steps)] == steps
                                               for other in chosen):
                chosen.append(steps)
        return chosen

    def mutate(self, tree, depth=0):
        """Returns the tree with some changes, as a person types them."""
        chance = self.chance
        if isinstance(tree, dict):
            tree = {key: self.mutate(value, depth + 1) if chance.random() < 0.4 else value
                    for key, value in tree.items() if key == "_merge" or chance.random() > 0.06}
            if chance.random() < 0.2:
                key = chance.choice(self.form.keys)
                if not (self.form.name == "ini" and isinstance(tree.get(key), dict)):
                    tree[key] = Trees(chance, self.form).value(0)
            return tree
        if isinstance(tree, list):
            tree = [self.mutate(item, depth + 1) if chance.random() < 0.3 else item
                    for item in tree if chance.random() > 0.1]
            if chance.random() < 0.3:
                tree.insert(chance.randrange(len(tree) + 1), self.form.scalar(chance))
            if len(tree) > 1 and chance.random() < 0.15:
                chance.shuffle(tree)
            return tree
        return self.form.scalar(chance)


# ---- Laws

class Laws:
    def __init__(self, driver, plyfs):
        self.plyfs = plyfs
        self.driver = driver
        self.start()
        self.done = collections.Counter()
        self.refused = collections.Counter()

    def start(self):
        self.process = subprocess.Popen([self.driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        """Returns the driver's answer; some changes use the command itself."""
        if request[0] != "cat" and random.Random(str(request[2:])).random() < COMMANDS:
            return Command(self.plyfs, request).answer()
        return self.ask_driver(request)

    def ask_driver(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.start()
            raise Broken(f"the driver has died at {request}")
        return json.loads(line)


class Command:
    """A request to the driver, made as a person makes it."""

    def __init__(self, plyfs, request):
        self.plyfs, self.request = plyfs, request
        _word, self.config, self.layer, self.path, self.what = request
        self.directory = os.path.dirname(self.config)

    def run(self, words, *options, **environment):
        return subprocess.run([self.plyfs, words[0], *options, "-L", self.layer, "-c", self.config, self.path] + words[1:],
                              capture_output=True, text=True, check=False, env={**os.environ, **environment})

    def answer(self):
        done = self.edit() if self.request[0] == "edit" else self.set()
        if done.returncode == 1 and done.stderr.startswith("plyfs: "):
            return ["error", done.stderr]
        if done.returncode != 0:
            raise Broken(f"{done.args}: {done.returncode}, {done.stderr}")
        told = re.match(r"(.*?)(:\d+)?: ", done.stdout)
        if "nothing changes" in done.stdout + done.stderr or "nothing was changed" in done.stderr:
            return ["same", ""]
        if not told:
            raise Broken(f"it is not told what was done: {done.stdout!r}")
        return ["changed", told.group(1)]

    def set(self):
        is_removal = self.what[0][1] is None
        if is_removal:
            words = ["unset"] + [key for key, _ in self.what]
        elif len(self.what) == 1:
            words = ["set", *self.what[0]]
        else:
            words = ["set"] + [f"{key}={value}" for key, value in self.what]
        if words[-1].startswith("-"):
            words[-1:-1] = ["--"]
        options = [] if is_removal else ["--yaml"]
        dry = self.run(words, "--dry-run", *options)
        done = self.run(words, *options)
        if dry.returncode != done.returncode or (done.returncode == 1 and dry.stderr != done.stderr):
            raise Broken(f"without --dry-run it is otherwise: {dry}, {done}")
        return done

    def edit(self):
        typed = os.path.join(self.directory, "typed")
        with open(typed, "w", encoding="utf-8", newline="") as out:
            out.write(self.what)
        done = self.run(["edit"], VISUAL="", EDITOR=f"cp {typed}", TMPDIR=self.directory)
        kept = re.search("the typed text is kept in (.*)", done.stderr)
        if (done.returncode == 1) != bool(kept):
            raise Broken(f"what was typed is lost, or kept for nothing: {done}")
        if kept:
            with open(kept.group(1), encoding="utf-8", newline="") as file:
                text = file.read()
            if not text.endswith(self.what):
                raise Broken(f"other than what was typed is kept: {text!r}")
        return done


def same(a, b):
    return put_formats.typed(a) == put_formats.typed(b)


class Change:
    """Makes one change in a round, and checks it."""

    def __init__(self, place):
        self.round = place
        self.laws = place.laws
        self.layer = place.chance.choice(place.layers[-1:] * 2 + place.layers)
        self.files = place.snapshot()
        self.text = place.cat(place.path)
        self.other = place.cat(place.other)
        self.wanted = None  # a tree; or Invalid or Unclear
        self.steps = None   # of a single set or unset

    def is_readable(self):
        """A file of one layer may be shown as several documents, which is no tree."""
        if isinstance(self.text, str) and re.search(r"\n---", self.text):
            return False
        return not isinstance(self.text, tuple) and not isinstance(self.other, tuple)

    def prepare(self):
        chance, place = self.round.chance, self.round
        self.before = place.read(self.text)
        roll = chance.random()
        self.kind = "set" if roll < 0.55 else "unset" if roll < 0.8 else "edit"
        if not isinstance(self.before, dict):
            self.kind = "set"
        try:
            getattr(self, "prepare_" + self.kind)()
        except (Invalid, Unclear) as error:
            self.wanted = error

    def prepare_set(self):
        place = self.round
        chosen = place.sets(self.before)
        if place.chance.random() < 0.1 and isinstance(self.before, dict):
            steps = place.steps(self.before)
            there = self.before
            for step in steps:
                there = find(there, step)
            if there is not MISSING and not isinstance(there, put_formats.Empty):
                chosen = [(steps, there)]
        self.request = ["set", place.config, self.layer, place.path,
                        [[key_text(steps), place.form.argument(place.chance, value)] for steps, value in chosen]]
        self.steps = chosen[0][0] if len(chosen) == 1 else None
        # One more item is another each time, and an item that gets another name is not found again.
        self.is_repeatable = not any(step[0] == "end" or step[0] == "match" and value_names(steps, value, i)
                                     for steps, value in chosen for i, step in enumerate(steps))
        wanted = MISSING if self.before is None and self.text is None else self.before
        if wanted is None or wanted is MISSING:
            wanted = {}
        for steps, value in chosen:
            wanted = with_set(wanted, steps, value)
        self.wanted = wanted

    def prepare_unset(self):
        place = self.round
        chosen = place.unsets(self.before)
        self.request = ["set", place.config, self.layer, place.path,
                        [[key_text(steps), None] for steps in chosen]]
        self.steps = chosen[0] if len(chosen) == 1 else None
        self.is_repeatable = False
        # Each KEY names what it names now, so the last items of a list go first.
        wanted = self.before
        for steps in chosen:
            without(wanted, steps)
        ways = [self.resolve(steps) for steps in chosen]
        for way in sorted(ways, key=lambda way: [step[1] if step[0] == "index" else -1 for step in way],
                          reverse=True):
            wanted = without(wanted, way)
        self.wanted = wanted

    def resolve(self, steps):
        """Returns [name=web] as its current index."""
        way, tree = [], self.before
        for step in steps:
            there = find(tree, step)
            if step[0] == "match":
                step = ("index", place_of(tree, step))
            way.append(step)
            tree = there
        return way

    def prepare_edit(self):
        place = self.round
        wanted = place.mutate(copy.deepcopy(self.before))
        self.typed = place.form.typed_text(place.chance, wanted)
        self.request = ["edit", place.config, self.layer, place.path, self.typed]
        self.is_repeatable = True
        self.wanted = place.form.read(self.typed)

    # ---- Making the change

    def run(self):
        answer = self.laws.ask(self.request)
        after = self.round.snapshot()
        if answer[0] == "error":
            self.check_refusal(answer[1], after)
            return
        self.check_result(answer, after)
        self.laws.done[self.label()] += 1
        if answer[0] == "same":
            if after != self.files:
                raise Broken("nothing changes, it says, but bytes did")
            return
        self.check_files(answer[1], after)
        self.check_comments(answer[1], after)
        self.check_again(after)

    def label(self):
        form = self.round.form.name + ("+dropins" if self.round.dropins else "")
        return (self.round.strategy, form, self.kind)

    def is_easy(self):
        """Whether no other layer can stand in the way."""
        if any(re.search(rb"\n---|[&*]n\d|!replace", content) for content in self.files.values()):
            return False
        if self.mixes_tables():
            return False
        layers = self.round.layers
        at = layers.index(self.layer)
        higher, lower = layers[at + 1:], layers[:at]
        if self.round.strategy != "deep":
            return self.is_alone()
        if any(self.says(layer) for layer in higher) or not self.is_way():
            return False
        if self.round.form.name != "yaml" and not self.round.dropins:
            return not any(self.says(layer) for layer in lower)  # without tags it can't be hidden
        return self.round.form.name == "yaml"

    def mixes_tables(self):
        """Whether a list of TOML's tables would get an item that is none: then comments in the tables are in the way."""
        if self.round.form.name != "toml" or not isinstance(self.before, dict) or not isinstance(self.wanted, dict):
            return False
        if not any(b"#" in content for content in self.files.values()):
            return False
        return any(is_tables(value) and isinstance(self.wanted.get(key), list) and not is_tables(self.wanted[key])
                   for key, value in self.before.items())

    def is_way(self):
        """Whether the layer's own values on the path are maps, like those that are shown."""
        tree, shown = self.round.own_tree(self.layer, self.files), self.before
        for step in self.steps or []:
            if tree is MISSING or shown is MISSING:
                return True
            if type(tree) is not type(shown):
                return False
            tree, shown = find(tree, step), find(shown, step)
        return True

    def is_alone(self):
        """Whether no other layer has the key at the root."""
        sources = {path for path in self.files if not path.endswith(self.round.other)}
        sources -= {os.path.join(self.layer, self.round.path)}
        trees = [self.round.form.read(self.files[path].decode()) for path in sources]
        return self.steps is not None and not any(isinstance(tree, dict) and self.steps[0][1] in tree for tree in trees)

    def says(self, layer):
        """Whether the layer has something at the place, or on the path to it."""
        tree = self.round.own_tree(layer, self.files)
        if self.steps is None or self.round.dropins:
            return tree is not MISSING or self.round.dropins
        for step in self.steps:
            if isinstance(tree, list):
                return True
            if not isinstance(tree, dict):
                return tree is not MISSING
            tree = find(tree, step)
        return tree is not MISSING

    def check_refusal(self, message, after):
        if after != self.files:
            raise Broken(f"refused, but bytes have changed: {message}")
        if len(message) < 10:
            raise Broken(f"a message that says nothing: {message!r}")
        if isinstance(self.wanted, Exception):
            return
        if "has no map here" in message:  # nor has any other text of the format
            return
        if same(self.before, self.wanted) and not self.is_text():
            raise Broken(f"it is so already, and is refused: {message}")
        self.laws.refused[self.label()] += 1
        self.laws.done[self.label()] += 1
        if self.is_easy():
            raise Broken(f"nobody else says anything of it, and it is refused: {message}")

    def check_result(self, answer, after):
        if isinstance(self.wanted, Invalid):
            raise Broken(f"it leads nowhere, but was done: {answer}")
        self.after = self.round.read(self.cat_again())
        if self.after is MISSING:
            raise Broken("the merged file is gone")
        if isinstance(self.wanted, Unclear):
            return
        if not same(self.after, self.wanted):
            raise Broken(f"wanted {self.wanted!r}\n  got   {self.after!r}")
        # If several values are set at once, `key:` may become a null on the path.
        if answer[0] == "changed" and same(self.before, self.wanted) and self.kind != "edit" \
                and (self.steps or not re.search(r"[:-]\s*$", self.text, re.M)):
            raise Broken("it was so already, and bytes have changed")

    def cat_again(self):
        text = self.round.cat(self.round.path)
        if isinstance(text, tuple):
            raise Broken(f"the merged file is an error: {text[1]}")
        return text

    def is_text(self):
        """Whether the typed text is wanted byte for byte."""
        return self.kind == "edit" and self.round.strategy == "cloud-init"

    def check_files(self, told, after):
        changed = [path for path in set(after) | set(self.files) if after.get(path) != self.files.get(path)]
        if len(changed) != 1:
            raise Broken(f"other files than one have changed: {changed}")
        self.target = changed[0]
        if not self.target.startswith(self.layer + "/"):
            raise Broken(f"{self.target} is not in the layer {self.layer}")
        if os.path.basename(told) != os.path.basename(self.target):
            raise Broken(f"{told} is told, but {self.target} has changed")
        if self.round.cat(self.round.other) != self.other:
            raise Broken(f"{self.round.other} has changed")

    def check_comments(self, told, after):
        old = self.files.get(self.target)
        if old is None or (self.kind == "edit" and after[self.target].decode() == self.typed):
            return
        old_tree = put_formats.FORMATS[self.target.rpartition(".")[2]].read(old.decode())
        new = after[self.target].decode()
        new_tree = put_formats.FORMATS[self.target.rpartition(".")[2]].read(new)
        for token, (kind, owner) in self.round.comments.get(self.target, {}).items():
            if token in old.decode() and token not in new and self.must_stay(kind, owner, old_tree, new_tree):
                raise Broken(f"the comment {token} ({kind} of {owner}) is lost")

    def must_stay(self, kind, owner, old, new):
        """Whether the comment must stay: not in a changed list, nor in a value that was removed or replaced as a
        whole."""
        for key in owner:
            if isinstance(old, list):
                if not same(old, new):
                    return False
            elif not isinstance(old, dict) or not isinstance(new, dict) or key not in old or key not in new:
                return False
            old, new = old[key], new[key]
        if kind == "head":
            # It is removed with the key below it.
            is_map = isinstance(old, dict) and isinstance(new, dict)
            return is_map and set(old) <= set(new) and not self.replaces(owner)
        return not isinstance(old, (dict, list)) and not isinstance(new, (dict, list)) or same(old, new)

    def replaces(self, owner):
        """Whether a set gives a new value to the map, or to one around it."""
        ways = self.request[4] if self.kind == "set" else []
        return any(len(re.findall(r"[.\[]", key)) < len(owner) for key, _ in ways)

    def check_again(self, after):
        if not self.is_repeatable or isinstance(self.wanted, Exception):
            return
        if self.kind == "set":
            for key, _ in self.request[4]:
                if len(self.request[4]) > 1 and self.steps is None:
                    return  # one may have been put into a value that another has replaced
        if self.kind == "edit" and sum(path.endswith(self.round.path) for path in after) == 1:
            return  # shown as it is, with its comments: the user has typed them
        answer = self.laws.ask(self.request)
        if answer[0] != "same" or self.round.snapshot() != after:
            raise Broken(f"the second time it is {answer}")


# ---- Files that are no trees

class TextRound:
    """Such a file is shown as lines: each layer's, one behind the other, or all lines of one layer."""

    def __init__(self, chance, directory, laws):
        self.chance, self.laws, self.directory = chance, laws, directory
        self.strategy = chance.choice(["last", "first", "concat", "lines"])
        self.layers = ["vendor", "site", "host"][:chance.choice([1, 2, 3])]
        self.path, self.other = chance.choice(["motd", "app.yaml"]), "other"
        self.rule = {"match": [self.path, self.other], "strategy": self.strategy}
        self.form = put_formats.FORMATS["yaml"]
        self.config = os.path.join(directory, "plyfs.yaml")
        Round.write_file(self, self.config, json.dumps({"layers": self.layers, "rules": [self.rule]}))
        for layer in self.layers:
            os.mkdir(os.path.join(directory, layer))
            Round.write_file(self, os.path.join(directory, layer, self.other), layer + "\n")
        for layer in chance.sample(self.layers, chance.randrange(1, len(self.layers) + 1)):
            Round.write_file(self, os.path.join(directory, layer, self.path), self.lines())

    snapshot = Round.snapshot
    cat = Round.cat

    def name(self):
        return self.strategy + " text"

    def lines(self):
        words = ["a: 1", "b: 2", "c: x", "# note", ""] if self.path == "app.yaml" else ["a", "b", "# c", "", "d d"]
        chosen = self.chance.sample(words, self.chance.randrange(len(words)))
        return "".join(line + "\n" for line in chosen)

    def wanted(self, text):
        lines = text.splitlines(True)
        for _ in range(self.chance.randrange(1, 3)):
            at = self.chance.randrange(len(lines) + 1)
            lines[at:at + self.chance.randrange(2)] = [self.chance.choice(["new\n", "z: 1\n", ""])]
        return "".join(lines)

    def run(self):
        layer = self.chance.choice(self.layers)
        before, shown, other = self.snapshot(), self.cat(self.path), self.cat(self.other)
        wanted = self.wanted(shown)
        answer = self.laws.ask(["edit", self.config, layer, self.path, wanted])
        after = self.snapshot()
        changed = [path for path in set(after) | set(before) if after.get(path) != before.get(path)]
        label = (self.strategy, "text", "edit")
        self.laws.done[label] += 1
        self.laws.refused[label] += answer[0] == "error"
        told = f"{self.strategy}: {shown!r} -> {wanted!r} in {layer}: {answer}, {before}"
        if answer[0] in ("error", "same") and changed:
            raise Broken(f"bytes have changed; {told}")
        if answer[0] == "error":
            return
        if self.cat(self.path) != wanted or self.cat(self.other) != other:
            raise Broken(f"something else is shown; {told}; {self.cat(self.path)!r}")
        if not set(changed) <= {os.path.join(layer, self.path)}:
            raise Broken(f"{changed} have changed; {told}")
        again = self.laws.ask(["edit", self.config, layer, self.path, wanted])
        if again[0] != "same" or self.snapshot() != after:
            raise Broken(f"the second time it is {again}; {told}")


# ---- Rounds

def describe(change, before):
    place = change.round
    lines = [f"round {place.number}: {place.name()}, layer {getattr(change, 'layer', '')}",
             f"  rule {json.dumps(place.rule)}", f"  request {getattr(change, 'request', None)}"]
    for path, content in sorted(before.items()):
        if place.other not in path:
            lines.append(f"--- {path}\n{content.decode()}")
    return "\n".join(lines)


def run_text(place):
    try:
        place.run()
        return True
    except Broken as error:
        print(f"round {place.number}: {error}\n")
        return False


def run_round(laws, number, seed, only):
    chance = random.Random(f"{seed} {number}")
    directory = tempfile.mkdtemp(prefix="plyfs-put-")
    kind = TextRound if chance.random() < 0.1 else Round
    place = kind(chance, directory, laws)
    place.number = number
    try:
        if only and only not in place.name():
            return True
        if kind is TextRound:
            return run_text(place)
        for _ in range(2):
            change = Change(place)
            if not change.is_readable():
                return True
            change.prepare()
            try:
                change.run()
            except Broken as error:
                print(describe(change, change.files))
                print(f"  {error}\n")
                return False
        return True
    finally:
        shutil.rmtree(directory)


def report(laws):
    print("refused of all, by strategy, format and command:")
    for label in sorted(laws.done):
        print(f"  {' '.join(label):40} {laws.refused[label]:5} of {laws.done[label]:5}")


def main():
    if not put_formats:
        print("PyYAML is missing")
        return SKIPPED
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    seed = sys.argv[4] if len(sys.argv) > 4 else str(random.randrange(10**6))
    only = sys.argv[5] if len(sys.argv) > 5 else ""
    laws = Laws(sys.argv[1], sys.argv[2])
    first = int(os.environ.get("FIRST", "0"))
    failed = 0
    for number in range(first, first + count):
        failed += not run_round(laws, number, seed, only)
        if failed >= int(os.environ.get("STOP", "5")):
            break
    report(laws)
    print(f"seed {seed}, {number + 1 - first} rounds, {sum(laws.done.values())} changes, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
