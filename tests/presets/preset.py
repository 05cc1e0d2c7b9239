#!/usr/bin/python3
"""A preset merges three layers into files that its program accepts.

    preset.py PLYFS CASE

CASE is a folder with the preset's name:

    vendor/ site/ host/   the layers
    expect/               the merged files, byte for byte
    broken/               a layer on top, with which each of its files must fail the rule's check
    program               a command that succeeds if the real program is installed; without the program
                          the rest is skipped (77)
    validate              run with the merged tree as its directory, if the rules have no check

The check of a rule runs as it stands in the preset, on the merged file. If we are root, it runs as the user
nobody, as plyfs runs it. PRESETS_PATH is the PATH of a program that is not installed, but unpacked somewhere.
"""

import atexit
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

plyfs, case = map(os.path.abspath, sys.argv[1:])
name = os.path.basename(case)
LAYERS = ["vendor", "site", "host"]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
rights = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
environment = {"PATH": os.environ.get("PRESETS_PATH", PATH), "LANG": "C.UTF-8"}
if "LD_LIBRARY_PATH" in os.environ:
    environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]


def run(*arguments):
    return subprocess.run([plyfs, *arguments], text=True, capture_output=True)


def files(directory):
    for at, _, names in os.walk(os.path.join(case, directory)):
        for file in sorted(names):
            yield os.path.relpath(os.path.join(at, file), os.path.join(case, directory))


def alternatives(pattern):
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [found for word in match.group(1).split(",")
            for found in alternatives(pattern[:match.start()] + word + pattern[match.end():])]


def matches(pattern, path):
    for one in alternatives(pattern):
        regex = re.escape(one).replace(r"\*\*/", "(.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        if re.fullmatch(regex, path):
            return True
    return False


def check_of(rules, path):
    for rule in rules:
        patterns = rule["match"] if isinstance(rule["match"], list) else [rule["match"]]
        if any(matches(pattern, path) for pattern in patterns):
            check = rule.get("check")
            return check["run"] if isinstance(check, dict) else check
    raise SystemExit(f"no rule of {name} is for {path}")


def checked(command, path):
    done = subprocess.run([word.replace("%f", os.path.abspath(path)) for word in command], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=120, **rights)
    return done.returncode, done.stdout[-2000:]


def rendered(layers, tree):
    with open("plyfs.yaml", "w") as file:
        file.write("layers: [" + ", ".join(os.path.join(case, layer) for layer in layers) + "]\n"
                   f"presets: [{name}]\noptions: {{header: false}}\n")
    return run("render", "-c", "plyfs.yaml", tree)


def open_to_all(tree):
    """Modes of the sources do not matter here."""
    for at, inner, names in os.walk(tree):
        for entry in inner + names:
            os.chmod(os.path.join(at, entry), 0o755)


def merged(layers, tree):
    done = rendered(layers, tree)
    assert done.returncode == 0, done.stderr
    open_to_all(tree)


os.umask(0o022)
directory = tempfile.mkdtemp(prefix="plyfs-test.")
atexit.register(shutil.rmtree, directory)
os.chmod(directory, 0o755)
os.chdir(directory)
# Copies: in the source tree a group may have write access, and plyfs refuses such presets.
os.mkdir("presets", 0o755)
for file in os.scandir(os.environ["PLYFS_PRESETS"]):
    os.chmod(shutil.copy(file.path, "presets"), 0o644)
os.environ["PLYFS_PRESETS"] = os.path.abspath("presets")
# On a busy machine a program may need more than the 10 s that a check has by default.
with open(f"presets/{name}.yaml") as file:
    preset = yaml.safe_load(file)
for rule in preset["rules"]:
    if "check" in rule:
        rule.setdefault("timeout", "2m")
with open(f"presets/{name}.yaml", "w") as file:
    yaml.safe_dump(preset, file)
failures = []
merged(LAYERS, "tree")
for path in files("expect"):
    with open(os.path.join("tree", path)) as got, open(os.path.join(case, "expect", path)) as wanted:
        if (text := got.read()) != wanted.read():
            failures.append(f"{path} is not as expected:\n{text}")

with open(os.path.join(case, "program")) as file:
    program = file.read().strip()
missing = subprocess.run(["sh", "-c", program], env=environment, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL).returncode != 0
listing = run("presets", name)
assert listing.returncode == 0, listing.stderr
rules = yaml.safe_load(listing.stdout)["rules"]
for path in files("expect"):
    command = None if missing else check_of(rules, path)
    if command:
        code, output = checked(command, os.path.join("tree", path))
        if code != 0:
            failures.append(f"the program does not take {path}: {code} {output}")
if os.path.isdir(os.path.join(case, "broken")) and not missing:
    done = rendered([*LAYERS, "broken"], "broken")
    open_to_all("broken")
    for path in files("broken"):
        # A program at PRESETS_PATH is not one that plyfs finds: it renders the file, and does not check it.
        if "PRESETS_PATH" in os.environ and os.path.exists(os.path.join("broken", path)):
            refused = checked(check_of(rules, path), os.path.join("broken", path))[0] not in (0, 127)
        else:
            refused = f"{path}: the check" in done.stderr or f"({path}, " in done.stderr
        if not refused:
            failures.append(f"the program takes what is broken in {path}: {done.stderr}")
validate = os.path.join(case, "validate")
if os.path.exists(validate) and not missing:
    done = subprocess.run(["bash", "-e", validate], cwd="tree", env=environment, text=True, capture_output=True,
                          timeout=60)
    if done.returncode != 0:
        failures.append(f"validate: {done.returncode} {done.stdout[-2000:]} {done.stderr[-2000:]}")
for failure in failures:
    print(failure)
if missing and not failures:
    print(f"skipped: here '{program}' fails")
    sys.exit(77)
sys.exit(bool(failures))
