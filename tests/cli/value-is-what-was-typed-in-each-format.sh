#!/bin/bash
. "$(dirname "$0")/cli.sh"

need python3
mkdir vendor site

# Sets many keys at once in a file of each format, and reads them as the format's program would.
cat >sets.py <<'END_OF_PYTHON'
import configparser, json, os, re, subprocess, sys

plyfs = os.environ["PLYFS"]
texts = ["Pa55 #w0rd", "&amp", "*/5 * * * *", "%h", "a: b", "! x", "| x", "> x", "@", "`x`", "*", "&",
         "? x", "x:", "x # y", "12:30", "22:22", "1.2.3", "5m", "C:\\dir\\new", "it's", 'say "x" here', "$HOME",
         "${A:-b}", "a, b", "a]", "}", "[%h]", "[a", "{{ port }}", "{a: 1} # c", "[&a x]", "[a] [b]",
         '"a" b', "---", "x=y", "- x", "ü€", "!important", "%TAG", "<<", "=", "1e", "+", ".", "None",
         "a;b", "Infinity", "-Xmx1g", "{message}", "{a, b}", "{a:1}", "{1,3}", "[{name}]", "{a: }"]
words = ["yes", "no", "true", "null", "~", "0644", "1_000", "0x10", "80", "1.10", "2026-01-01", "[a, b]",
         "{a: 1}", "'x y'", ""]
blanks = [" x ", "  ", "a\nb", "a\n", "\ta"]
typed = [  # VALUE, and its reading in JSON, TOML and YAML 1.1
    ("80", 80, 80, 80), ("-5", -5, -5, -5), ("1.5", 1.5, 1.5, 1.5), ("true", True, True, True),
    ("True", "True", "True", True), ("yes", "yes", "yes", True), ("no", "no", "no", False),
    ("null", None, "null", None), ("~", "~", "~", None), ("0644", "0644", "0644", 420),
    ("1_000", "1_000", 1000, 1000), ("0x10", "0x10", 16, 16), ("1e5", 1e5, 1e5, "1e5"),
    ("+1", "+1", 1, 1), ("2026-01-01",) + 3 * ("2026-01-01",), ('"80"', "80", "80", "80"),
    ("'x'", "x", "x", "x"), ("[a, 1, yes]", ["a", 1, "yes"], ["a", 1, "yes"], ["a", 1, True]),
    ("{a: 0x10, b: {c: yes}}", {"a": "0x10", "b": {"c": "yes"}}, {"a": 16, "b": {"c": "yes"}},
     {"a": 16, "b": {"c": True}}),
    ('{"a": "1"}',) + 3 * ({"a": "1"},),
]

def unescape(text):
    return re.sub(r"\\(u....|.)", lambda m: chr(int(m[1][1:], 16)) if len(m[1]) > 1 else
                  {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)

def read_sections(text):
    parser = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#", ";"))
    parser.optionxform = str
    parser.read_string(text)
    return dict(parser["S"])

def read_lines(text, value_of):
    return {key: value_of(value) for key, value in (line.split("=", 1) for line in text.splitlines() if line[:1] != "#")}

def env_value(value):
    if value[:1] == "'":
        return value[1:-1]
    return unescape(value[1:-1]) if value[:1] == '"' else value

readers = {
    "json": json.loads,
    "ini": read_sections,
    "service": read_sections,
    "desktop": read_sections,
    "properties": lambda text: read_lines(text, unescape),
    "env": lambda text: read_lines(text, env_value),
}
try:
    import tomllib
    readers["toml"] = tomllib.loads
except ImportError:
    pass
try:
    import yaml
    readers["yaml"] = yaml.safe_load
except ImportError:
    pass

def sets(form, values):
    name, section = "a." + form, "S." if form in ("ini", "service", "desktop") else ""
    command = [plyfs, "set", "-c", "plyfs.yaml", name] + [
        "%sk%d=%s" % (section, i, value) for i, (value, _) in enumerate(values)]
    first = subprocess.run(command, capture_output=True, encoding="utf-8")
    if first.returncode:
        sys.exit("%s: %s" % (form, first.stderr))
    text = open("site/" + name, encoding="utf-8", newline="").read()
    found = readers[form](text)
    for i, (value, wanted) in enumerate(values):
        got = found["k%d" % i]
        if got != wanted or type(got) is not type(wanted):
            sys.exit("%s: %r is read as %r, not %r:\n%s" % (form, value, got, wanted, text))
    again = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    if again != "nothing changes: it is so already\n":
        sys.exit("%s: what is there is not left: %s" % (form, again))

for form in readers:
    if form in ("json", "toml", "yaml"):
        column = ("json", "toml", "yaml").index(form) + 1
        sets(form, [(row[0], row[column]) for row in typed] + [(text, text) for text in texts + blanks])
    else:
        more = blanks if form == "properties" else []
        sets(form, [(text, text) for text in texts + words + more])
END_OF_PYTHON
cat >plyfs.yaml <<'END'
layers: [{path: vendor}, {path: site}]
rules: [{match: "**", strategy: deep}, {match: "*.desktop", strategy: deep, format: keyfile}]
END
runs 0 python3 sets.py

set_() { "$PLYFS" set -l vendor:site "$@"; }
file() { [ "$(cat "$1")" = "$2" ] || fail "$1 is: $(cat "$1"); and not: $2"; }

# YAML 1.2 knows fewer words and other numbers.
printf 'layers: [{path: vendor}, {path: site}]\noptions: {schema: "1.2"}\n' >new.yaml
rm -f site/*
for value in yes 1_000; do
	runs 0 "$PLYFS" set -c new.yaml b.yaml k "$value"
	runs 0 "$PLYFS" get --json -c new.yaml b.yaml k
	prints "\"$value\""
done
runs 0 "$PLYFS" set -c new.yaml b.yaml n 0o17
runs 0 "$PLYFS" get --json -c new.yaml b.yaml n
prints 15

# A text stays a text, and a note says so; also in a map that is set whole, and in a list.
printf '{"version": "1.10", "on": {"tag": "7", "n": 1}, "list": ["1", 2]}\n' >vendor/c.json
runs 0 set_ c.json version 1.20
grep -q 'version: was a text, and stays one; --yaml' err
runs 0 set_ c.json on '{tag: 8, n: 2}'
grep -q 'on: was a text' err
runs 0 set_ c.json 'list[0]=5' 'list[1]=6' 'list[+]=7'
runs 0 "$PLYFS" cat -l vendor:site c.json
[ "$(tr -d ' \n' <out)" = '{"version":"1.20","on":{"tag":"8","n":2},"list":["5",6,7]}' ] || fail "$(cat out)"
runs 0 set_ --yaml c.json version 1.30
[ ! -s err ] || fail "it says: $(cat err)"
runs 0 "$PLYFS" get --json -l vendor:site c.json version
prints 1.30
runs 0 set_ --string c.json version 1.30
runs 0 "$PLYFS" get --json -l vendor:site c.json version
prints '"1.30"'
printf 'since = 2026-01-01\n' >vendor/d.toml
runs 0 set_ d.toml since 2027-02-03
file site/d.toml 'since = 2027-02-03'

# --string and --yaml decide explicitly.
runs 0 set_ --string e.yaml 'a=[x]' 'b=80' 'c=-' 'd=@nothing' 'e=null'
file site/e.yaml $'a: "[x]"\nb: "80"\nc: "-"\nd: "@nothing"\ne: "null"'
runs 0 set_ --yaml e.json a $'x: [1, yes]\ny: !!str 5'
runs 0 "$PLYFS" get --json -l vendor:site e.json a
prints '{"x": [1, true], "y": "5"}'
runs 0 set_ --yaml f.ini S '{a: 1}'
file site/f.ini $'[S]\na = 1'
runs 2 set_ --string --yaml e.json a 1
says 'give one'

# A value from elsewhere, as passwords should not stand on a command line.
printf 'Pa55 #w0rd\n' >secret
runs 0 set_ g.json a @secret
printf '  two\nlines\n\n' | runs 0 set_ g.json b=- c=@secret
runs 0 set_ g.json d @<(echo '[1]')
runs 0 "$PLYFS" cat -l site g.json
[ "$(tr -d '\n' <out)" = '{  "a": "Pa55 #w0rd",  "b": "  two\nlines\n",  "c": "Pa55 #w0rd",  "d": [    1  ]}' ] ||
	fail "$(cat out)"
cp site/g.json before
runs 2 set_ g.json a=- b=- <secret
says "the VALUE of 'b' is '-', and standard input has the VALUE of 'a'; give one of them as @FILE"
cmp before site/g.json
runs 1 set_ g.json a @nothing
says "nothing: can't be opened: there is no such file or directory; check its path; for a VALUE that begins with '@' itself, give --string"
printf 'a\0b' >nul
runs 1 set_ g.json a @nul
says 'NUL byte'
runs 1 set_ g.json a @.
says "can't be read"
cmp before site/g.json

# A VALUE that begins like a list, but is none, is reported.
runs 0 set_ h.yaml a '[%h]'
grep -q 'h.yaml: a: the VALUE is no whole map or list, so it is a text' err

# A VALUE that begins with '-'.
runs 0 set_ h.yaml b=-Xmx1g 'c=- x'
runs 2 set_ h.yaml a -Xmx1g
says "put a VALUE that begins with '-' behind '--'"
runs 0 set_ h.yaml -- a -Xmx1g
runs 2 set_ h.yaml a '- x'
says "put a VALUE that begins with '-' behind '--'"

# A tag that the file's format does not have is not dropped: the VALUE is the text.
runs 0 set_ g.json t '[!x a]'
runs 0 "$PLYFS" get -c plyfs.yaml g.json t
prints '[!x a]'

# A value's tag shows, and a text that looks like one has quotes.
echo 'k: !secret a' >site/tag.yaml
runs 0 set_ --yaml tag.yaml k '!env a'
prints 'site/tag.yaml:1: k: !secret a -> !env a'
runs 0 set_ tag.yaml k '!env a'
prints 'site/tag.yaml:1: k: !env a -> "!env a"'
runs 0 set_ --yaml tag.yaml k '!env ""'
prints 'site/tag.yaml:1: k: "!env a" -> !env ""'
runs 0 "$PLYFS" unset -l vendor:site tag.yaml k
prints 'site/tag.yaml: k: removed (was !env "")'
