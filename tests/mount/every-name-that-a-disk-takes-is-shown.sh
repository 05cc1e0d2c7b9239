#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need python3
cat >names.py <<'END'
import os, sys
long = b"n" * 255
names = [bytes([c]) for c in range(1, 256) if bytes([c]) not in (b"/", b".")]
names += [b"...", b"..a", b"-rf", b" ", b"a\nb.yaml", b"a\\b.yaml", b"a\"'$(x)`y.yaml", b"\xff\xfe.yaml",
          b"caf\xc3\xa9.yaml", b"*?[a]{b}.yaml", b"\\012.yaml", long, b"x" * 250 + b".yaml", b"new-1",
          b".plyfs-", b"a.yaml.d"]
names = sorted(set(names))
def path(layer, name):
    return os.path.join(layer, b"dir", name)
def write(layer, name, text):
    with open(path(layer, name), "wb") as file:
        file.write(text)
def text_of(layer, name):
    return b"%s: 1\n" % layer
def expected(name):
    return text_of(b"low", name) + text_of(b"high", name) if name.endswith(b".yaml") else text_of(b"high", name)
def check(wanted):
    found = sorted(os.listdir(b"mnt/dir"))
    assert found == sorted(names), f"listed: {set(found) ^ set(names)}"
    for name in names:
        with open(path(b"mnt", name), "rb") as file:
            text = file.read()
        assert text == wanted(name), f"{name}: {text}"
if sys.argv[1] == "make":
    for layer in (b"low", b"high"):
        os.makedirs(os.path.join(layer, b"dir"))
        for name in names:
            write(layer, name, text_of(layer, name))
elif sys.argv[1] == "change":
    for name in names:
        os.rename(path(b"high", name), b"aside")
        os.rename(b"aside", path(b"high", name))
        write(b"high", name, b"changed: 1\n")
elif sys.argv[1] == "check":
    check(expected)
else:
    check(lambda name: b"low: 1\nchanged: 1\n" if name.endswith(b".yaml") else b"changed: 1\n")
END
python3 names.py make
# Except one, at the root.
mkdir low/.plyfs
touch low/.plyfs/x
start
lists mnt dir
fails_with 'No such file' cat mnt/.plyfs/x
python3 names.py check
python3 names.py change
changed() { python3 names.py check-changed 2>difference; }
eventually changed || fail "$(tail -1 difference)"
comes_to_equal_fresh

# One more byte is too long, everywhere.
name=$(head -c 256 /dev/zero | tr '\0' n)
fails_with 'File name too long' cat "mnt/dir/$name"

# A name that can't be printed as text is shown all the same, in messages and in a status that is good JSON.
printf 'x: [' >$'high/dir/\xff\xfe.yaml'
printf 'x: [' >$'high/dir/a\nb.yaml'
told() { [ "$(status troubles | grep -o "'path'" | wc -l)" -eq 2 ]; }
eventually told || fail "the status tells: $(cat mnt/.plyfs/status)"
[ "$(wc -l <mnt/.plyfs/errors)" -eq 2 ] || fail "a name breaks the lines of: $(cat mnt/.plyfs/errors)"
[ "$(grep -c "" log)" -eq 2 ] || fail "a name breaks the lines of the log: $(cat log)"
