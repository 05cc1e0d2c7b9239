"""The content of the layers, made so that a reader of a merge can check whether it is whole.

Each version of a source has a record: some keys, of which no two versions have the same, with tokens as their
values:

    k_low_1f2e3d4c_17_0: t-low-1f2e3d4c-17-0-5-9a0b
                           layer-file-version-key-number of keys-checksum

Whatever the format and the strategy, a version's keys come into the merge all together or not at all. The keys
that the layers share (`shared`, `list`, `nest`) name versions, too.
"""
import json
import re
import zlib

TOKEN = re.compile(rb"t-(low|mid|high)-([0-9a-f]{8})-(\d+)-(\d+)-(\d+)-([0-9a-f]{4})")
ANY_TOKEN = re.compile(rb"t-(?:low|mid|high)-")


def number_of(path):
    return f"{zlib.crc32(path.encode()):08x}"


def token(layer, file, version, key, keys):
    text = f"t-{layer}-{file}-{version}-{key}-{keys}"
    return f"{text}-{zlib.crc32(text.encode()) & 0xffff:04x}"


def record(layer, path, version, keys):
    file = number_of(path)
    return {f"k_{layer}_{file}_{version}_{key}": token(layer, file, version, key, keys) for key in range(keys)}


def versions_in(data):
    """Returns the versions whose records are in the bytes: {(layer, file, version): keys}. Raises ValueError if a
    record, or a token, is not whole."""
    found = {}
    count = 0
    for match in TOKEN.finditer(data):
        layer, file, version, key, keys, checksum = match.groups()
        text = match.group(0)[:-5]
        if zlib.crc32(text) & 0xffff != int(checksum, 16):
            raise ValueError(f"a token with a wrong checksum: {match.group(0).decode()}")
        found.setdefault((layer.decode(), file.decode(), int(version)), {})[int(key)] = int(keys)
        count += 1
    if count != len(ANY_TOKEN.findall(data)):
        raise ValueError("half a token")
    for name, keys in found.items():
        wanted = next(iter(keys.values()))
        if len(keys) != wanted:
            raise ValueError(f"{len(keys)} of {wanted} keys of {'-'.join(map(str, name))}")
    return found


# ---- Documents as texts

def as_yaml(document, directives=False):
    lines = []
    for key, value in document.items():
        if isinstance(value, dict):
            lines += [f"{key}:"] + [f"  {name}: {item}" for name, item in value.items()]
        elif isinstance(value, list):
            lines += [f"{key}:"] + [f"- {item}" for item in value]
        else:
            lines.append(f"{key}: {'!delete' if directives and key == 'shared' else value}")
    return "\n".join(lines) + "\n"


def as_toml(document):
    lines = [f"{key} = {json.dumps(value)}" for key, value in document.items() if not isinstance(value, dict)]
    for key, value in document.items():
        if isinstance(value, dict):
            lines += [f"[{key}]"] + [f'{name} = "{item}"' for name, item in value.items()]
    return "\n".join(lines) + "\n"


def as_ini(document):
    lines = []
    for key, value in document.items():
        if isinstance(value, dict):
            lines += [f"[{key}]"] + [f"{name} = {item}" for name, item in value.items()]
        elif not isinstance(value, list):
            lines.append(f"{key} = {value}")
    return "\n".join(lines) + "\n"


def as_pairs(document):
    return "".join(f"{key}={value}\n" for key, value in document.items() if isinstance(value, str))


NAMES = [(kind, name) for kind in ("Job", "Pod") for name in ("a", "b")]


def as_documents(document, path, chance):
    """Several documents of YAML with names. The record is in one of them, so it goes as a whole if a layer above removes
    that. Only a file that is always matched by the names has tags."""
    names = chance.sample(NAMES, chance.randrange(1, len(NAMES) + 1))
    shared = {key: value for key, value in document.items() if not key.startswith("k_")}
    texts = []
    for number, (kind, name) in enumerate(names):
        roll = chance.random() if path.endswith("k.docs") else 1
        is_removed = number and roll < 0.2
        own = {} if is_removed else shared if number else document
        head = "--- !delete\n" if is_removed else "--- !replace\n" if roll < 0.3 else "---\n"
        texts.append(head + as_yaml({"kind": kind, "metadata": {"name": name}, **own}))
        if chance.random() < 0.05:
            texts.append("---\n")
    return "".join(texts)


FORMATS = {
    "yaml": as_yaml,
    "docs": as_documents,
    "json": lambda document: json.dumps(document, indent=1) + "\n",
    "toml": as_toml,
    "ini": as_ini,
    "env": as_pairs,
    "properties": as_pairs,
}

# Makes a text of the format unreadable.
BREAKS = {
    "yaml": "broken: [\n",
    "docs": "broken: [\n",
    "json": "}\n",
    "toml": "broken =\n",
    "ini": "[broken\n",
    "env": "broken='\n",
    "properties": "broken=\\uxyz\n",
}

APPENDABLE = {"yaml", "docs", "env", "properties", ""}


def format_of(path):
    ending = path.rsplit(".", 1)[-1] if "." in path.rsplit("/", 1)[-1] else ""
    return ending if ending in FORMATS else ""


def text_of(layer, path, version, chance, keys=None):
    """Returns a whole source."""
    keys = keys if keys is not None else chance.choice([1, 2, 5, 40])
    tokens = record(layer, path, version, keys)
    sign = f"s-{layer}-{version}"
    ending = format_of(path)
    if not ending:
        return "".join(f"{item}\n" for item in tokens.values())
    document = {"shared": sign, **tokens}
    if ending not in ("ini", "env", "properties"):
        document["list"] = [sign] + [f"item{chance.randrange(4)}" for _ in range(chance.randrange(3))]
        document["list"] = list(dict.fromkeys(document["list"]))
    if ending not in ("env", "properties"):
        document["nest"] = {"shared": sign, f"n_{layer}_{version}": sign}
    if ending == "docs":
        return as_documents(document, path, chance)
    if ending == "yaml":
        return as_yaml(document, path.endswith("a.yaml") and chance.random() < 0.2)
    return FORMATS[ending](document)


def addition_of(layer, path, version):
    """Returns a text that can be appended to a source: a record of its own."""
    tokens = record(layer, f"{path}+{version}", version, 3)
    ending = format_of(path)
    if ending == "docs":
        return "---\n" + as_yaml({"kind": "Job", "metadata": {"name": f"{layer}{version}"}, **tokens})
    if ending == "yaml":
        return as_yaml(tokens)
    return as_pairs(tokens) if ending else "".join(f"{item}\n" for item in tokens.values())
