#!/usr/bin/env python3
"""docs/plyfs.schema.json and the command agree on every key and word, and on whole settings.

If a word is unknown, the command's message names the allowed ones; these are its own table.
"""
import atexit
import json
import os
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

PLYFS = os.environ["PLYFS"]
schema_file, example = sys.argv[1:]
with open(schema_file) as file:
    schema = json.load(file)
definitions = schema["definitions"]
failures = []
os.umask(0o022)
os.chdir(directory := tempfile.mkdtemp(prefix="plyfs-test."))
atexit.register(shutil.rmtree, directory)
os.mkdir("low")
with open("any.json", "w") as file:
    file.write("{}")
with open("facts", "w") as file:
    file.write("role: low")


def complaint(settings):
    """Returns the command's message about these settings; "" if it accepts them."""
    with open("plyfs.yaml", "w") as file:
        file.write(settings)
    done = subprocess.run([PLYFS, "cat", "-c", "plyfs.yaml", "nothing"], text=True,
                          stderr=subprocess.PIPE)
    if "nothing: no layer has such a file" in done.stderr:
        return ""
    assert done.returncode == 1 and "/plyfs.yaml:" in done.stderr, done.stderr
    return done.stderr


def allowed(settings):
    text = complaint(settings)
    match = re.search(r"\(allowed: (.*)\)|it has: (.*)", text)
    if not match:
        # "the strategy 'last' takes no options; leave them out"
        assert "takes no options" in text, text
        return set()
    return set((match.group(1) or match.group(2)).split(", "))


def equal(what, settings, words):
    words = {str(word) for word in words if word is not None}
    if (accepted := allowed(settings)) != words:
        failures.append(f"{what}: the command accepts {sorted(accepted)}, the schema {sorted(words)}")


LAYERS = "layers: [low]\n"
options = schema["properties"]["options"]["properties"]
equal("plyfs.yaml", LAYERS + "xyzzy: 1\n", schema["properties"])
equal("a layer", "layers: [{path: low, xyzzy: 1}]\n", definitions["layer"]["anyOf"][1]["properties"])
for kind in "etcd", "git":
    equal(kind, f"layers: [{{{kind}: {{xyzzy: 1}}}}]\n", definitions[kind]["properties"])
equal("a rule", LAYERS + "rules: [{match: a, xyzzy: 1}]\n", definitions["rule"]["properties"])
equal("a file", LAYERS + "files: [{path: a, from: b, xyzzy: 1}]\n", definitions["file"]["properties"])
equal("a command", LAYERS + "rules: [{match: a, check: {run: ['a', '%f'], xyzzy: 1}}]\n",
      definitions["check"]["anyOf"][1]["properties"])
equal("a command that is told", LAYERS + "rules: [{match: a, on_change: {run: ['a', '%f'], xyzzy: 1}}]\n",
      definitions["program"]["anyOf"][1]["properties"])
equal("options", LAYERS + "options: {xyzzy: 1}\n", options)
equal("limits", LAYERS + "options: {limits: {xyzzy: 1}}\n", options["limits"]["properties"])
for name in "coherence", "on_error", "yaml", "schema":
    equal(name, LAYERS + f"options: {{{name}: xyzzy}}\n", options[name]["enum"])
strategies = [name for name in definitions["strategy"]["enum"] if name]
equal("dropins", LAYERS + "rules: [{match: a, dropins: xyzzy}]\n",
      [word for word in definitions["rule"]["properties"]["dropins"]["enum"] if not isinstance(word, bool)])
equal("format", LAYERS + "rules: [{match: a, format: xyzzy}]\n", definitions["format"]["enum"])
equal("strategy", LAYERS + "rules: [{match: a, strategy: xyzzy}]\n", strategies)
for strategy in strategies:
    equal(strategy, LAYERS + f"rules: [{{match: a, strategy: {strategy}, options: {{xyzzy: 1}}}}]\n",
          definitions[strategy].get("properties", {}))


def every(node, place="schema"):
    """Each value that a user can write is described."""
    for name, value in node.get("properties", {}).items():
        target = definitions.get(value.get("$ref", "").split("/")[-1], {})
        if not value.get("description") and not target.get("description") and "if" not in place \
                and name not in ("layers", "options", "strategy"):
            failures.append(f"{place}: '{name}' has no description")
        every(value, f"{place}.{name}")
    for key in "anyOf", "allOf":
        for value in node.get(key, []):
            if "if" not in value:
                every(value, place)


every(schema)
for name, definition in definitions.items():
    every(definition, name)

GOOD = [
    "layers: [low]", "layers: [{path: low}]", 'layers: [{path: "%%/../low", optional: yes}]',
    "layers: [{path: low, name: a b, follow: false, optional: }]",
    "layers: [{path: low, exclude: []}]", "layers: [{path: low, exclude: '*.bak'}]",
    "layers: [{path: low, exclude: ['**/.git/**', '*.key']}]", "layers: [{path: low, exclude: }]",
    "layers: [low, {etcd: {endpoints: 'http://h:1', prefix: '/%H/', state: none}, optional: yes}]",
    "layers: [low, {etcd: {endpoints: ['https://h:1', 'https://i:1'], prefix: /p/, cacert: a, cert: b, key: c, "
    "user-file: d, compare: 1m, mode: '0600', max-delete: 0, state: none, user: nobody, wait: 1s}, optional: yes}]",
    "layers: [low, {git: {url: repository, state: none}, optional: yes}]",
    "layers: [low, {git: {url: 'https://h/x', ref: main, path: '%H', verify: key, interval: 90s, state: none}, "
    "name: x, optional: yes}]",
    LAYERS + "rules:\nfiles:\noptions:",
    LAYERS + "rules: [{match: [a, 'b/**'], dropins: true, strategy: }]",
    LAYERS + "rules: [{match: a, dropins: 'true'}, {match: b, dropins: 'false'}, {match: c, dropins: on}]",
    LAYERS + "files: [{path: a, from: b, dropins: 'true'}, {path: c, from: d, dropins: 'false'}]",
    LAYERS + "rules: [{match: a, schema: any.json}, {match: b, schema: }]",
    LAYERS + "files: [{path: a, from: b, schema: ./any.json}]",
    LAYERS + "schemas: [any.json]\nrules: [{match: a, schema: any.json}]",
    LAYERS + "schemas:", LAYERS + "facts:", LAYERS + "facts: ./facts",
    "facts: facts\nlayers: ['%{role}', {path: 'x/%l%o%w', optional: true}]",
    "facts: facts\nlayers: ['%{role}']\nrules: [{match: 'a/%{role}', check: [cat, '%{role}', '%f']}]",
    LAYERS + "rules: [{match: a, schema: any.json, validate_formats: yes}, {match: b, validate_formats: }]",
    LAYERS + "rules: [{match: a, options: {lists: append}}]",
    LAYERS + "rules: [{match: a, options: {kinds: strict}}]",
    LAYERS + "rules: [{match: a, options: {lists: {'*': {by: name}}}}]",
    LAYERS + "rules: [{match: a, options: {lists: {by: name}}}]",
    LAYERS + "rules: [{match: a, options: {lists: {by: {before: '='}, twice: merge, required: true}}}]",
    LAYERS + "rules: [{match: a, options: {lists: {'*': {by: [{all: [port, protocol]}, {after: ':'}, name]}}}}]",
    LAYERS + "rules: [{match: a, options: {lists: {'*': replace, 'a.b': {by: name}}}}]",
    LAYERS + "rules: [{match: a, strategy: deep, options: }]",
    LAYERS + "rules: [{match: a, strategy: salt, options: {level: 2, tags: true}}]",
    LAYERS + "rules: [{match: a, strategy: salt, options: {level: [true, false]}}]",
    LAYERS + "rules: [{match: a, strategy: salt, options: {level: '110'}}]",
    LAYERS + "rules: [{match: a, strategy: cfengine, options: {args: [low, '[low]']}}]",
    LAYERS + "rules: [{match: a, strategy: cloud-init, options: {mergers: stack}}]",
    LAYERS + "rules: [{match: a, strategy: cloud-init, options: {default: list()+dict()}}]",
    LAYERS + "rules: [{match: a, strategy: pillar, options: {keys: _in, data_path: p}}]",
    LAYERS + "rules: [{match: a, strategy: pillar, options: {keys: [a, b], neighbour_key: ''}}]",
    LAYERS + "rules: [{match: a, strategy: concat, options: {separator: '--'}}]",
    LAYERS + "files: [{path: a/b, from: 'x/*'}, {path: c, from: [x, y], strategy: concat}]",
    LAYERS + "rules: [{match: a, strategy: lines, options: {remove: true}, format: }]",
    LAYERS + "rules: [{match: a, options: {lists: repeat}, format: ini}]",
    LAYERS + "files: [{path: a/b, from: 'x/*', format: systemd, dropins: uapi}]",
    LAYERS + "rules: [{match: a, check: [/bin/true, '--file=%f', 50%%], user: nobody, timeout: 5s}]",
    LAYERS + "rules: [{match: a, check: {run: [cat, '%f'], user: , timeout: 100ms}, on_change: }]",
    LAYERS + "files: [{path: a, from: b, check: , on_change: [systemctl, reload, 1]}]",
    LAYERS + "options: {on_change: {run: [true], timeout: 60m}}",
    LAYERS + "options: {coherence: strict, on_error: fail, header: on, schema: 1.2}",
    LAYERS + "options: {poll_interval: 500ms, answer_timeout: 30s, cache_mib: 0, watches: 16, state: /var/lib/app}",
    LAYERS + "options: {limits: {source: 4096, result: 64MiB, depth: 1000, nodes: 1}}",
]
BAD = [
    "rules: []", "layers: []", "layers: low", "layers:", "layers: ['']", "layers: [{name: x}]",
    "layers: ['%x']", "layers: [[low]]", "layers: [{path: low, name: a/b}]",
    "layers: [{path: low, optional: maybe}]", "layers: [{path: low, exclude: {a: b}}]",
    "layers: [{path: low, exclude: ['']}]", "layers: [{path: low, exclude: ''}]",
    "layers: [{path: low, git: {url: x}}]", "layers: [{etcd: {prefix: /p/}}]", "layers: [{git: {ref: x}}]",
    "layers: [{etcd: {endpoints: [], prefix: /p/}}]", "layers: [{etcd: {endpoints: ['h:1'], prefix: /p/}}]",
    "layers: [{etcd: {endpoints: 'http://u:p@h:1', prefix: /p/}}]", "layers: [{etcd: {endpoints: 'http://h:1'}}]",
    "layers: [{git: {url: x, interval: 5}}]", "layers: [{git: {url: x, interval: 1500ms}}]",
    "layers: [{git: {url: x, max-delete: 101}}]",
    "layers: [{git: {url: x, mode: rw}}]", "layers: [{git: [x]}]",
    LAYERS + "facts: {role: low}", LAYERS + "facts: ''", "layers: ['%{no name}']",
    LAYERS + "rules: {}", LAYERS + "rules: [{strategy: deep}]", LAYERS + "rules: [{match: []}]",
    LAYERS + "rules: [{match: ''}]", LAYERS + "rules: [{match: a, dropins: 1}]",
    LAYERS + "rules: [{match: a, schema: [any.json]}]", LAYERS + "files: [{path: a, from: b, schema: ''}]",
    LAYERS + "rules: [{match: a, options: [x]}]",
    LAYERS + "rules: [{match: a, options: {lists: merge}}]",
    LAYERS + "rules: [{match: a, options: {kinds: free}}]",
    LAYERS + "rules: [{match: a, options: {lists: [append]}}]",
    LAYERS + "rules: [{match: a, options: {lists: {a: {by: {all: []}}}}}]",
    LAYERS + "rules: [{match: a, options: {lists: {a: {by: name, twice: often}}}}]",
    LAYERS + "rules: [{match: a, options: {lists: {a: {by: name, required: x}}}}]",
    LAYERS + "rules: [{match: a, options: {lists: {a: {by: {before: '=', after: '='}}}}}]",
    LAYERS + "rules: [{match: a, options: {lists: {a: {by: [[name]]}}}}]",
    LAYERS + "rules: [{match: a, strategy: salt, options: {level: often}}]",
    LAYERS + "rules: [{match: a, strategy: salt, options: {lists: append}}]",
    LAYERS + "rules: [{match: a, strategy: cfengine, options: {args: []}}]",
    LAYERS + "rules: [{match: a, strategy: cloud-init, options: {mergers: heap}}]",
    LAYERS + "rules: [{match: a, strategy: last, options: {lists: append}}]",
    LAYERS + "rules: [{match: a, format: xml}]", LAYERS + "rules: [{match: a, format: []}]",
    LAYERS + "files: [{path: a, from: b, format: xml}]",
    LAYERS + "rules: [{match: a, strategy: lines, options: {remove: [x]}}]",
    LAYERS + "files: [{path: a}]", LAYERS + "files: [{path: /a, from: b}]",
    LAYERS + "files: [{path: a, from: b, dropins: 1}]",
    LAYERS + "rules: [{match: a, check: []}]", LAYERS + "rules: [{match: a, check: [a, '%x']}]",
    LAYERS + "rules: [{match: a, check: [cat, ~]}]", LAYERS + "rules: [{match: a, user: []}]",
    LAYERS + "rules: [{match: a, on_change: {user: a}}]", LAYERS + "rules: [{match: a, timeout: 5}]",
    LAYERS + "options: {header: 7}", LAYERS + "options: {poll_interval: 5}", LAYERS + "options: {answer_timeout: 5}",
    LAYERS + "options: {state: var/lib/app}", LAYERS + "options: {cache_mib: 1048577}", LAYERS + "options: {cache_mib: -1}",
    LAYERS + "options: {watches: 15}", LAYERS + "options: {watches: half}", LAYERS + "options: {watches: 1073741825}",
    LAYERS + "options: {limits: {depth: 1001}}", LAYERS + "options: {limits: {depth: 0}}",
    LAYERS + "options: {limits: {nodes: 100000001}}", LAYERS + "options: {limits: {source: 0}}",
    LAYERS + "options: {limits: {source: 3T}}", LAYERS + "options: {limits: {source: 1073741825}}",
]
for settings in GOOD:
    if text := complaint(settings):
        failures.append(f"the command refuses {settings!r}: {text}")
for settings in BAD:
    if not complaint(settings):
        failures.append(f"the command takes {settings!r}")

try:
    import jsonschema
except ImportError:
    jsonschema = None
if jsonschema:
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    with open(example) as file:
        GOOD.append(file.read())
    for settings in GOOD:
        for error in validator.iter_errors(yaml.safe_load(settings)):
            failures.append(f"the schema refuses {settings!r}: {error.message}")
    for settings in BAD:
        if validator.is_valid(yaml.safe_load(settings)):
            failures.append(f"the schema takes {settings!r}")

for failure in failures:
    print("failed:", failure, file=sys.stderr)
if failures:
    sys.exit(1)
if not jsonschema:
    print("skipped: python3-jsonschema is missing; only the keys were compared")
    sys.exit(77)
