#!/usr/bin/python3
"""Compares each dialect of INI with the program that reads it.

    ini_dialects_compare.py PLYFS DIALECT [COUNT [SEED]]

A program reads a merged file as it reads the files themselves, one behind the other: the highest file's values
take effect, and no item of a list is lost. COUNT random pairs of files are merged, and also single files, which
are written anew with an empty one.
"""

import configparser
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

plyfs, dialect = os.path.abspath(sys.argv[1]), sys.argv[2]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
dice = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 28)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def run(*arguments, **options):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False, **options)


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return os.path.abspath(name)


class Refused(Exception):
    pass


def last_of(pairs, is_list):
    """Returns the values that take effect: of lists each value once, else the last."""
    found = {}
    for key, value in pairs:
        if is_list(key):
            found.setdefault(key, [])
            if value not in found[key]:
                found[key].append(value)
        else:
            found[key] = value
    return found


class Program:
    def is_list(self, _key):
        return False


class Mysql(Program):
    program = "my_print_defaults"
    keys = ["bind-address", "bind_address", "loose-bind-address", "max_connections", "max-connections",
            "plugin-load-add", "plugin_load_add", "Max_Connections", "skip-networking", "sql_mode"]
    values = ["1", "a b", '"x # y"', "'it # is'", "2;3", "c # comment", "d#e", "", '"a\\"b # c" # d', "'", "x\\",
              '"', "=f", "g : h"]
    sections = ["[m]", "[M]", "[m ]", "[n]", "[m] # comment"]
    forms = ["{0}={1}", "{0} = {1}", "   {0}   =   {1}  ", "{0}", "{0} # comment", "# {0} = {1}", "; {0}"]
    starts_in_section = True

    def is_list(self, key):
        return key.replace("-", "_") == "plugin_load_add"

    def read(self, text):
        pairs = []
        for group in ["m", "n"]:
            done = run(self.program, f"--defaults-file={write('my.cnf', text)}", group)
            if done.returncode:
                raise Refused(done.stderr)
            for line in done.stdout.splitlines():
                key, equals, value = line[2:].partition("=")
                key = key.replace("-", "_")
                while key.startswith("loose_"):
                    key = key[6:]
                pairs.append(((group, key), equals + value))
        return last_of(pairs, lambda key: self.is_list(key[1]))


class Php(Program):
    program = "php"
    keys = ["memory_limit", "x.y", "error_reporting", "extension", "x[]", "Memory_Limit"]
    values = ["1", "a b", '"x;y"', "'z;w'", "c ; comment", "E_ALL & ~E_NOTICE", "On", "none", "", '"a\\"b;c" ; d',
              "x#y"]
    sections = ["[PHP]", "[Session]", "[PHP] ; comment", "[x]"]
    forms = ["{0}={1}", "{0} = {1}", "  {0}   =   {1}  ", "; {0} = {1}"]
    starts_in_section = False

    def read(self, text):
        """get_cfg_var() returns what PHP itself has read."""
        done = run(self.program, "-c", write("php.ini", text), "-r",
                   'foreach (["memory_limit", "x.y", "error_reporting", "x", "Memory_Limit"] as $k)'
                   ' echo $k, "=", json_encode(get_cfg_var($k)), "\\n";')
        if "syntax error" in done.stdout + done.stderr:
            raise Refused(done.stderr)
        found = {}
        for line in done.stdout.splitlines():
            key, equals, value = line.partition("=")
            if equals and key in ["memory_limit", "x.y", "error_reporting", "Memory_Limit"]:
                found[key] = value
            elif key == "x" and value != "false":
                values = json.loads(value)
                found[key] = sorted(set(values.values() if isinstance(values, dict) else values))
        found["extension"] = sorted(set(re.findall(r"Unable to load dynamic library '([^']*)'",
                                                   done.stdout + done.stderr)))
        return found


class Git(Program):
    program = "git"
    keys = ["name", "Name", "fetch", "helper", "x-y"]
    values = ["1", "a b", '"x # y"', "c # comment", "d ; comment", "", '"a\\"b;c" ; d', "e \\\n  f", '"g \\\n h" # i',
              "j\\\\", "k\\\"l", "\"m\" n \"o;p\""]
    sections = ["[a]", "[A]", '[a "B"]', '[A "B"]', '[a "b"]', "[a.B]", '[a   "B"]', '[a "b]c"]', "[a] # comment",
                "[a] inline = 1"]
    forms = ["{0}={1}", "{0} = {1}", "\t{0}   =   {1}", "{0}", "{0} # comment", "# {0} = {1}", "; {0}"]
    starts_in_section = True

    def is_list(self, key):
        return key in ["fetch", "helper"]

    def read(self, text):
        done = run(self.program, "config", "-f", write("config", text), "--list", "-z")
        if done.returncode:
            raise Refused(done.stderr)
        pairs = []
        for entry in done.stdout.split("\0")[:-1]:
            key, newline, value = entry.partition("\n")
            pairs.append((key, newline + value))
        return last_of(pairs, lambda key: self.is_list(key.split(".")[-1]))


class Wireguard(Program):
    program = "wg"
    keys = ["Address", "address", "PostUp", "MTU", "mtu", "DNS"]
    values = ["1", "a, b", "c # comment", "d;e", "", "f = g"]
    sections = ["[Interface]", "[interface]", "[INTERFACE] # comment"]
    forms = ["{0}={1}", "{0} = {1}", "  {0}   =   {1}", "# {0} = {1}"]
    starts_in_section = True
    # The loop of wg-quick's parse_options, as in Debian, with its results printed.
    script = r"""shopt -s nocasematch extglob
        source <(sed -n '/^parse_options() {/,/^}/p' "$(command -v wg-quick)")
        die() { echo "$@" >&2; exit 1; }
        ADDRESSES=() DNS=() DNS_SEARCH=() PRE_UP=() POST_UP=() PRE_DOWN=() POST_DOWN=()
        parse_options "$1"
        printf '%s\n' "mtu=$MTU" "${ADDRESSES[@]/#/address=}" "${POST_UP[@]/#/up=}" "${DNS[@]/#/dns=}" \
            "${DNS_SEARCH[@]/#/dns=}" """

    def read(self, text):
        done = run("bash", "-c", self.script, "bash", write("wg0.conf", text))
        if done.returncode:
            raise Refused(done.stderr)
        pairs = [line.split("=", 1) for line in done.stdout.splitlines() if "=" in line]
        return last_of([(key, value) for key, value in pairs if value], lambda key: key != "mtu")


class Configparser(Program):
    program = "python3"
    keys = ["Name", "name", "x-y", "x_y", "Long Name"]
    values = ["1", "a b", "c # text", "d ; text", "", "e\n  f = g\n\n  h", "i = j : k", "%%"]
    sections = ["[a]", "[A]", "[a b]", "[c]d]", "[DEFAULT]"]
    forms = ["{0}={1}", "{0} = {1}", "{0} : {1}", "{0}: {1}", "# {0} = {1}", "; {0}"]
    starts_in_section = True

    def parse(self, texts):
        parser = configparser.ConfigParser()
        try:
            for text in texts:
                parser.read_file(io.StringIO(text))
            return {section: dict(parser.items(section, raw=True)) for section in parser.sections()}, \
                dict(parser.defaults())
        except configparser.Error as error:
            raise Refused(str(error)) from error

    def read(self, text):
        return self.parse([text])

    def read_both(self, low, high):
        return self.parse([low, high])


class Grafana(Program):
    program = "go"
    keys = ["name", "Name", "x-y", "x_y", "long name"]
    values = ["1", "a b", '"x # y"', "c # comment", "d;e", "`f#;g`", '"""h#;i"""', "", "j = k : l", '"m"', "\\n",
              "o\\\np", "'q' # r", "%(name)"]
    sections = ["[a]", "[A]", "[a.b]", "[a] # comment", "[DEFAULT]"]
    forms = ["{0}={1}", "{0} = {1}", "{0}:{1}", "  {0}   =   {1}", "# {0} = {1}", "; {0}"]
    starts_in_section = False
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "grafana_read.go")

    def __init__(self):
        self.reader = None

    def build(self):
        """Debian has go-ini as a source package, which go finds by GOPATH."""
        self.reader = os.path.abspath("reader")
        done = run("go", "build", "-o", self.reader, self.source,
                   env=dict(os.environ, GO111MODULE="off", GOPATH="/usr/share/gocode", GOFLAGS="",
                            GOCACHE=os.environ.get("GOCACHE") or os.path.abspath("cache")))
        if done.returncode:
            skip(f"go-ini can't be built: {done.stderr}")

    def read_both(self, low, high):
        if not self.reader:
            self.build()
        done = run(self.reader, write("low", low), write("high", high))
        if done.returncode:
            raise Refused(done.stderr)
        both = {}
        for line in done.stdout.splitlines():
            for section, keys in json.loads(line).items():
                both.setdefault(section, {}).update(keys)
        return both

    def read(self, text):
        return self.read_both(text, "")


dialects = {"mysql": Mysql, "php": Php, "git": Git, "wireguard": Wireguard, "configparser": Configparser,
            "grafana": Grafana}
about = dialects[dialect]()
if not shutil.which(about.program) or (dialect == "wireguard" and not shutil.which("wg-quick")):
    skip(f"there is no {about.program}")


def make_file():
    lines = [dice.choice(about.sections)] if about.starts_in_section else []
    for _ in range(dice.randrange(1, 8)):
        if dice.random() < 0.25:
            lines.append(dice.choice(about.sections))
        elif dice.random() < 0.1:
            lines.append("")
        else:
            key, form = dice.choice(about.keys), dice.choice(about.forms)
            # A list's key alone is an error to its program.
            if about.is_list(key) and "{1}" not in form:
                form = "{0} = {1}"
            lines.append(form.format(key, dice.choice(about.values)))
    return "\n".join(lines) + "\n"


def merge(*texts):
    names = [write(f"{i}.ini", text) for i, text in enumerate(texts)]
    return run(plyfs, "merge", "--to", dialect, *names)


def effect_of(low, high):
    """Returns what the program makes of both files, the higher one read last."""
    if hasattr(about, "read_both"):
        return about.read_both(low, high)
    return about.read(low + high)


failures, refused, compared = 0, 0, 0
with tempfile.TemporaryDirectory(prefix="plyfs-test.") as directory:
    os.chdir(directory)
    for number in range(count):
        low, high = make_file(), make_file() if number % 3 else ""
        try:
            wanted = effect_of(low, high)
            about.read(low)
        except Refused:
            refused += 1
            continue
        done = merge(low, high)
        try:
            got = about.read(done.stdout) if done.returncode == 0 else done.stderr
        except Refused as error:
            got = f"refused: {error}"
        compared += 1
        if got != wanted:
            failures += 1
            print(f"--- {number}\n{low}--- and\n{high}--- merged\n{done.stdout}{done.stderr}--- wanted {wanted}\n"
                  f"--- got {got}")
        if failures == 5:
            break
print(f"{dialect}: {compared} compared, {refused} that the program refuses, {failures} differ")
sys.exit(bool(failures or not compared))
