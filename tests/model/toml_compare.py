#!/usr/bin/python3
"""Compares reading and writing of TOML with tomli and tomlkit, and the conversions with PyYAML.

    toml_compare.py BATCH [COUNT [SEED]]

BATCH is the program built from batch.c. Skipped (77) if tomli or PyYAML is missing; tomlkit reads along if it is
installed. Documents, half of them with a mistake, are made at random and taken from DOCUMENTS, and broken at
random. plyfs must refuse what tomli refuses. tomli reads TOML 1.0; for 1.1 it reads what toml_1_1.py
makes of the document. A document that it accepts must have the same values, with their types, when it is written as
TOML, as JSON and as YAML. `tamed()` has the parts of the standard that tomli does not support.
"""

import datetime
import json
import math
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from toml_1_1 import reduced  # noqa: E402

try:
    import tomli
    import yaml
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
try:
    import tomlkit
except ImportError:
    tomlkit = None

# Each line is a document; first those that the standard allows, and then those that it forbids.
DOCUMENTS = r'''
a.b.c = 1
a . b = 1\na . "c" = 2
3.14159 = "pi"
"" = 1
'' = 1
"a.b" = 1\na.b = 2
a = 1\nb.c = 2\na2.d = 3\nb.e = 4
[a.b.c]\nx = 1\n[a]\nb2 = 1
[a.b]\n[a]
[a.b.c]\n[a]\nb.d = 1
[a]\nb.c = 1\n[a.d]
[fruit]\napple.color = 1\napple.taste.sweet = true\n[fruit.apple.texture]\nsmooth = true
[ a . "b" . 'c' ]
[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 1\n[[a.e]]\n[[a.e]]
[[a.b]]\n[a]\nc = 1
[a.b]\n[[a.c]]\n[a.c.d]
a = """\n\\\n   x \\\n\n  y"""
a = """x\\  \n y"""
a = """"x""""
a = """""x"""""
a = """a""b"""
a = """\""""""
a = '''+"'''\\n'x'''''"+r'''
a = '''+"'''''x'''''"+r'''
a = """\r\nx\r\ny"""
a = "\u00e9\U0001F600\b\\t\\n\f\\r\"\\\\"
a = 'C:\x\u'
a = [1, "a", 1.5, [true], {b = 1}, ]
a = [ # comment\n 1, # one\n\n 2\n # three\n]
a = []\nb = [\n]
a = [[[]], [1, 2], ['x']]
a = {}\nb = { }
a = {b.c = 1, b.d = 2, "e" = [\n1,\n2]}
a = {b = """x\ny"""}
a = {b = {c = {}}, d = []}
a = 0\nb = +0\nc = -0\nd = 0x0\ne = 0o0\nf = 0b0
a = 0xDEADbeef\nb = 0xdead_beef\nc = 0o755\nd = 0b1101_0110\ne = 0x00ff
a = +99\nb = -17\nc = 1_000\nd = 5_349_221\ne = 9223372036854775807\nf = -9223372036854775808
a = 1.0\nb = -0.01\nc = 5e+22\nd = 1e06\ne = -2E-2\nf = 6.626e-34\ng = 224_617.445_991_228\nh = 0e0\ni = 1e1_0
a = inf\nb = +inf\nc = -inf\nd = nan\ne = +nan\nf = -nan
inf = 1\nnan = 2\ntrue = 3\n1e3 = 4\n-1 = 5\n1979-05-27 = 6\n0x1F = 7\nnull = 8\nyes = 9\n- = 10
a = 1979-05-27T07:32:00Z\nb = 1979-05-27T00:32:00-07:00\nc = 1979-05-27 00:32:00.999999+01:30\nd = 1979-05-27t07:32:00
a = 1979-05-27\nb = 07:32:00\nc = 00:32:00.999999\nd = 12:30:00\ne = 2000-02-29\nf = 2024-02-29 # leap
a = 1979-05-27 # a date\nb = [1979-05-27 , 07:32:00]
# only\t a comment
\ta = 1\t# comment\r\n\r\n[b]\r\n
a = true\nb = false
a = 1\n[b] # comment\n[[c]]# comment
a = {b = 1,}
a = {b = 1\n}
a = {\n}
a = {b = 1 # comment\n}
a = { # c\n\n b = 1 # c\n , # c\n c = {d = [\n1, # c\n],\n},\n}
a = [{\nb = 1,\n}, {\nb = 2}]\n[c]\nd = {e = 1,}
a = "\x41\x00\xff"\n"\x41" = 1\n["\x62"]
a = "\e[0m"\nb = """\e"""\nc = '\e'
a = 1979-05-27T07:32\nb = 1979-05-27 07:32Z\nc = 07:32\nd = [1979-05-27t07:32-07:00,07:32]
a = 1 b = 2
a =
= 1
a
a = 1\na = 2
a = 1\n"a" = 2
a.b = 1\na = 2
a = 1\na.b = 2
a = 1\n[a]
[a]\n[a]
[a]\n[[a]]
[[a]]\n[a]
[a.b]\n[[a]]
[a]\nb = 1\n[a.b]
a.b = 1\n[a]
[a]\nb.c = 1\n[a.b]
[a]\nb.c.d = 1\n[a.b.c]
[a.b.c]\nz = 9\n[a]\nb.c.t = 1
[a.b.c.d]\nz = 9\n[a]\nb.c.d.k.t = 1
[[a.b]]\n[a]\nb.y = 2
[a]\n[a.b]\n[a]
[a]\nb = {c = 1}\nb.d = 2
[a]\nb.c = 1\nb = {d = 2}
a = {b = 1}\n[a.c]
a = {b = 1}\n[a]
a = [{b = 1}]\n[[a]]
a = [{b = 1}]\n[a.c]
a = []\n[[a]]
a = {b = 1, b = 2}
a = {b.c = 1, b = 2}
a = {b = {c = 1}, b.d = 2}
a = {,}
a = {b = 1 c = 2}
a = [1 2]
a = [,]
a = [1,,2]
a = [
a = {
a = "x
a = "x\ny"
a = 'x\ny'
a = """x
a = '''+"'''x"+r'''
a = "\x4"
a = "\xg0"
a = "\E"
a = {b\n= 1}
a = {b =\n1}
a = {b.\nc = 1}
a = {b = 1\nc = 2}
a = {b = 1,,}
a = {\n,\n}
a = {b = 1, # \u0001\n}
a = "\u12"
a = "\ud800"
a = "\U00110000"
a = "\a"
a = """\ x"""
a = """x\"""
a = """x""""""
a = '''+"'''x''''''"+r'''
a = "x\u0000\0"
"""a""" = 1
'''+"'''a''' = 1"+r'''
a\nb = 1
a b = 1
a. = 1
.a = 1
a..b = 1
é = 1
a! = 1
[]
[a
[a]]
[[a]
[[a] ]
[ [a] ]
[a.]
[a..b]
[.a]
[a] b = 1
[a] [b]
[[]]
[a\n]
["a\nb"]
a = 01
a = -01
a = +01
a = 0_1
a = 1__0
a = _1
a = 1_
a = 0x
a = 0x_1
a = 0x1_
a = 0xg
a = 0X1
a = 0O7
a = 0B1
a = 0o8
a = 0b2
a = +0x1
a = -0b1
a = 1e
a = 1e+
a = 1.
a = .5
a = 1.e1
a = 1_.5
a = 1._5
a = 1e_5
a = 1e5_
a = 1.5.5
a = 00.5
a = -00.5
a = 1e1.5
a = Inf
a = NaN
a = +-1
a = --1
a = True
a = TRUE
a = truey
a = t
a = null
a = x
a = 1979-13-01
a = 1979-00-01
a = 1979-01-00
a = 1979-01-32
a = 1979-02-29
a = 1900-02-29
a = 1979-04-31
a = 1979-1-1
a = 79-01-01
a = 1979-05-27T
a = 1979-05-27T07
a = 07:32Z
a = 07:32.5
a = 07:32:
a = 7:32:00
a = 24:00:00
a = 07:60:00
a = 07:32:61
a = 07:32:00.
a = 07:32:00Z
a = 1979-05-27T07:32:00.Z
a = 1979-05-27T07:32:00+24:00
a = 1979-05-27T07:32:00+01:60
a = 1979-05-27T07:32:00+1
a = 1979-05-27T07:32:00+01
a = 1979-05-27  07:32:00
a = 1979-05-27_07:32:00
a = 1979-05-27T07:32:00ZZ
a = 1 # \u0001
a = 1 # x\rb = 2
a = 1\rb = 2
a = 1 # \u007f
a = "\u0007"X
a = "\u007fX"
a = '\u0008'
a = """\u000c"""
\u0000
\u000b
a = \u00001
'''


def documents():
    for line in DOCUMENTS.strip().split("\n"):
        # Escapes of such a line: \\, \n, \r, \t, and \uNNNN of control characters.
        meant = {r"\\": "\\", r"\n": "\n", r"\r": "\r", r"\t": "\t"}
        yield re.sub(
            r"\\(\\|n|r|t|u00[017].)",
            lambda match: meant.get(match.group()) or chr(int(match.group(1)[1:], 16)), line)


class Source(random.Random):
    """Random documents."""

    def pick(self, *choices):
        return self.choice(choices)

    def name(self):
        name = self.pick("a", "b", "c", "d", "a1", "x-y", "é", "", "a b", "8080", "a.b", "it's")
        if re.fullmatch(r"[A-Za-z0-9_-]+", name) and self.random() < 0.8:
            return name
        if "'" in name or self.random() < 0.6:
            return '"' + (name if self.random() < 0.9 else "".join("\\u%04x" % ord(c) for c in name)) + '"'
        return "'" + name + "'"

    def key(self):
        dot = self.pick(".", ".", ".", " . ", "\t.")
        return dot.join(self.name() for _ in range(self.pick(1, 1, 1, 2, 2, 3)))

    def number(self):
        digits = "".join(self.pick(*"0123456789_") for _ in range(self.randrange(1, 6)))
        if self.random() < 0.6:
            digits = str(self.randrange(10 ** self.randrange(1, 12)))
        return self.pick("", "", "-", "+") + self.pick("", "", "", "0x", "0o", "0b") + digits + self.pick(
            "", "", "", ".5", ".0_1", "e5", "e-07", "E+3", ".", "e")

    def date(self):
        two = lambda top: "%02d" % self.randrange(top)
        date = "%04d-%s-%s" % (self.randrange(1, 10000), two(14), two(32))
        time = "%s:%s:%s" % (two(25), two(61), two(60)) + self.pick("", "", ".5", ".123456", ".1234567", ".")
        time = time if self.random() < 0.7 else time[:5]
        offset = self.pick("", "Z", "+00:00", "-07:30", "+23:59", "+24:00", "+1:00")
        return self.pick(date, time, date + self.pick("T", "t", " ", "  ") + time + offset)

    def text(self, more=""):
        pieces = ["a", "x y", "é", "😀", "\t", "#", "=", "[", "null", "yes", "1", ": ", "- ", "|"] + list(more)
        return "".join(self.choice(pieces) for _ in range(self.randrange(0, 6)))

    def string(self):
        kind = self.randrange(4)
        if kind == 0:
            return '"' + self.text(("\\n", "\\\"", "\\\\", "\\u00e9", "\\U0001f600", "'", "\\t", "\\x", "\\e", "\\x41")) + '"'
        if kind == 1:
            return "'" + self.text(('"', "\\", "\\n")) + "'"
        if kind == 2:
            return '"""' + self.text(("\n", "\n", "\r\n", '"', '""', "\\\n", "\\ \n\n ", "\\\"", "'''")) + '"""'
        return "'''" + self.text(("\n", "\n", "\r\n", "'", "''", "\\", '"""')) + "'''"

    def value(self, depth=0):
        kind = self.randrange(10 if depth < 3 else 7)
        if kind < 2:
            return self.number()
        if kind < 4:
            return self.string()
        if kind == 4:
            return self.date()
        if kind == 5:
            return self.pick("true", "false", "inf", "-inf", "nan", "1", "2")
        if kind == 6:
            return self.pick("1", "2.5", "'x'")
        if kind == 7:
            pairs = [self.key() + self.pick(" = ", "=") + self.value(depth + 1) for _ in range(self.randrange(4))]
            space = self.pick("", " ", " ", "\n", " # c\n ", "\r\n")
            comma = self.pick(", ", ",", ",", " ,\n")
            return "{" + space + comma.join(pairs) + (self.pick("", "", ",") if pairs else "") + space + "}"
        space = self.pick("", " ", "\n", " # c\n ", "\r\n")
        items = [self.value(depth + 1) for _ in range(self.randrange(4))]
        return "[" + space + ("," + space).join(items) + (self.pick("", ",") if items else "") + space + "]"

    def document(self):
        lines = []
        for _ in range(self.randrange(1, 9)):
            kind = self.randrange(8)
            if kind == 0:
                lines.append(self.pick("", "# " + self.text(), "\t"))
            elif kind == 1:
                lines.append("[" + self.key() + "]")
            elif kind == 2:
                lines.append("[[" + self.key() + "]]")
            else:
                lines.append(self.key() + " = " + self.value())
        return self.pick("\n", "\n", "\r\n").join(lines) + self.pick("", "\n")

    def broken(self, text):
        """Returns the text with a few characters changed."""
        for _ in range(self.randrange(1, 3)):
            at = self.randrange(len(text) + 1)
            new = self.pick(*"'\"[]{}=.,#\\ \n\r\t_-+:0159eaxTZ", "\x00", "\x07", "\x7f", "é", '"""', "'''")
            text = self.pick(text[:at] + new + text[at:], text[:at] + new + text[at + 1:], text[:at] + text[at + 1:])
        return text


def tamed(text):
    """Returns the document without the parts of the standard that tomli, or a datetime of Python, does not support."""
    text = re.sub(r"(\d\d:\d\d):60", r"\1:59", text)
    text = re.sub(r"\b0000-", "0004-", text)
    return re.sub(r"(\d\d:\d\d:\d\d(\.\d+)?)z", r"\1Z", text)


def is_legal(text):
    try:
        tomli.loads(text)
    except ValueError:
        return False
    return True


def read_by_tomlkit(text):
    """Returns tomlkit's reading. None: it has mistakes of its own, such as refusing +0E+3."""
    try:
        return typed(tomlkit.parse(text).unwrap())
    except ValueError:
        return None


def has_large_integer(value):
    if isinstance(value, dict):
        return any(map(has_large_integer, value.values()))
    if isinstance(value, list):
        return any(map(has_large_integer, value))
    return isinstance(value, int) and not -2**63 <= value < 2**63


def typed(value, convert=lambda value: None):
    """Returns values that are equal only if their types are, too; `convert` may give another one first."""
    if isinstance(value, dict):
        return {key: typed(each, convert) for key, each in value.items()}
    if isinstance(value, list):
        return [typed(each, convert) for each in value]
    found = convert(value)
    if found is not None:
        return found
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else repr(value))
    if isinstance(value, datetime.datetime):
        return ("datetime", value.replace(tzinfo=None), value.utcoffset())
    return (type(value).__name__, value)


def is_date(value):
    return isinstance(value, (datetime.date, datetime.time))


def dates_of(wanted, found):
    """Returns `wanted`, with texts where `found` has a text that is the same date."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return {key: dates_of(value, found.get(key)) for key, value in wanted.items()}
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [dates_of(value, other) for value, other in zip(wanted, found)]
    if is_date(wanted) and isinstance(found, str):
        try:
            same = typed(tomli.loads(reduced("x = " + found))["x"]) == typed(wanted)
        except tomli.TOMLDecodeError:
            same = False
        return found if same else wanted
    return wanted


def has_no_number(value):
    if isinstance(value, dict):
        return any(map(has_no_number, value.values()))
    if isinstance(value, list):
        return any(map(has_no_number, value))
    return isinstance(value, float) and not math.isfinite(value)


def as_yaml(value):
    """PyYAML gives a time with an offset in UTC, and for Z, before its version 6, without an offset."""
    if isinstance(value, datetime.datetime) and value.tzinfo:
        return ("datetime", value.astimezone(datetime.timezone.utc).replace(tzinfo=None))
    return None


def run(batch, version, texts, to):
    requests = [{"strategy": "deep", "from": version, "to": to, "inputs": [["empty", ""], ["case", text]]} for text in texts]
    done = subprocess.run([batch], input=json.dumps(requests), capture_output=True, text=True)
    if done.returncode or done.stderr:
        sys.exit("batch failed: " + done.stderr[-3000:])
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def differ(text, value, error, results):
    """Returns what is wrong with the results as TOML, JSON and YAML, or None."""
    toml, as_json, as_yaml_text = results
    if value is not None and has_large_integer(value):
        return None if toml[0] == "error" else "an integer of more than 64 bits was taken"
    if error is not None:
        if is_legal(tamed(text)):
            return "it was refused: " + toml[1] if toml[0] == "error" else None
        return None if toml[0] == "error" else "tomli refuses it: %s" % error
    if toml[0] == "error":
        return "it was refused: " + toml[1]
    written = reduced(toml[1])  # a time may have no seconds
    if typed(tomli.loads(written)) != typed(value):
        return "TOML has other values: %s, and not %s" % (tomli.loads(written), value)
    if tomlkit and read_by_tomlkit(written) not in (None, typed(value)):
        return "tomlkit reads other values from %s" % toml[1]
    if has_no_number(value) and as_json[0] == "error":
        if "is not a number in JSON" not in as_json[1]:
            return "JSON: " + as_json[1]
    else:
        found = json.loads(as_json[1]) if as_json[0] == "text" else as_json
        if typed(found) != typed(dates_of(value, found)):
            return "JSON has other values: %s, and not %s" % (found, value)
    if as_yaml_text[0] != "text":
        return "YAML: " + as_yaml_text[1]
    found = yaml.safe_load(as_yaml_text[1])
    if typed(found, as_yaml) != typed(dates_of(value, found), as_yaml):
        return "YAML has other values: %s, and not %s" % (found, value)
    return None


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**32)
    source = Source(seed)
    texts = list(documents())
    while len(texts) < count:
        text = source.choice(texts) if source.random() < 0.4 else source.document()
        texts.append(source.broken(text) if source.random() < 0.3 else text)
    failed = compare(sys.argv[1], "toml-1.0", texts, texts, seed)
    failed += compare(sys.argv[1], "toml", texts, list(map(reduced, texts)), seed)
    return 1 if failed else 0


def compare(batch, version, texts, old_texts, seed):
    """Compares the texts, which are `old_texts` in TOML 1.0. Returns how many differ."""
    results = zip(*(run(batch, version, texts, to) for to in ("toml", "json", "yaml")))
    legal = failed = 0
    for text, old_text, result in zip(texts, old_texts, results):
        value = error = None
        try:
            value = tomli.loads(old_text)
            legal += 1
        except (ValueError, RecursionError) as raised:
            error = raised
        message = differ(old_text, value, error, result)
        if message:
            failed += 1
            if failed <= 10:
                print("seed %d, %s\n%r\n%s\n%s\n" % (seed, version, text, result, message))
    print("seed %d: %s: %d documents, %d of them legal, %d differ" % (seed, version, len(texts), legal, failed))
    return failed


if __name__ == "__main__":
    sys.exit(main())
