#!/usr/bin/env python3
"""No sentence of a comment or a document has "Who …" or "Of what …" as its subject, "is told", or "he" for a program.

Such a sentence makes the reader guess which process is meant: name the daemon, the worker, the kernel, the user. Lines of
C keep the width of .editorconfig. Arguments: [--count] [TREE]; --count prints how many there are in each room.
"""
import collections
import os
import re
import sys

ROOMS = ("merge", "schema", "conf", "fs", "cli", "docs", "bench", "scripts", "tests", "data", "debian", "examples")
# Places that are not our own, or that quote a user.
LEFT_OUT = ("tests/cases/", "tests/edits/", "tests/presets/", "tests/fuzz/corpus/", "tests/lint/")

SUBJECT = re.compile(r"(?:^|(?<=[.:;!?])\s|\n[ \t]*\n)\s*((?:Who|Whom|Whoever|Of what|Of whom)\b)(?![^.;:]*\?)")
WORD = re.compile(r"\b(is told|[Hh]e|[Hh]is|[Hh]im)\b")
C_TOKEN = re.compile(r"/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S)


def comments_of_c(text):
    for match in C_TOKEN.finditer(text):
        if match[0].startswith("/*"):
            yield match.start(), re.sub(r"^[ \t]*(?:/\*+|\*/|\*)[ \t]?", "", match[0], flags=re.M)


def comments_of_script(text):
    offset, start, lines = 0, None, []
    for line in text.splitlines(keepends=True) + [""]:
        match = re.match(r"\s*#(?!!) ?(.*)", line)
        if match:
            start = offset if start is None else start
            lines.append(match[1])
        elif start is not None:
            yield start, "\n".join(lines)
            start, lines = None, []
        offset += len(line)


def document(text):
    # Names of files, tests and options are not sentences.
    yield 0, re.sub(r"`[^`\n]*`", lambda match: "`" * len(match[0]), text)


READERS = {".c": comments_of_c, ".h": comments_of_c, ".py": comments_of_script, ".sh": comments_of_script,
           ".build": comments_of_script, ".md": document, ".scd": document}


def ending_of(path):
    """The programs in scripts/ have none."""
    return os.path.splitext(path)[1] or (".sh" if path.startswith("scripts/") else "")


def find_in(path):
    """Yields (line, what is wrong)."""
    ending = ending_of(path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if ending in (".c", ".h"):
        for number, line in enumerate(text.splitlines(), 1):
            # A single word, such as the name of a test, can't be broken.
            if len(line.expandtabs(8)) > COLUMNS and " " in line.strip():
                yield number, f"the line is wider than {COLUMNS} columns"
    for offset, sentences in READERS[ending](text):
        for pattern in (SUBJECT, WORD):
            for match in pattern.finditer(sentences):
                line = text.count("\n", 0, offset) + sentences.count("\n", 0, match.start(1)) + 1
                yield line, f"'{match[1]}': name the process, program or user"


def find_files():
    yield from (name for name in os.listdir(".") if name.endswith(".md"))
    for room in ROOMS:
        for folder, _, names in os.walk(room):
            for name in names:
                path = f"{folder}/{name}"
                if ending_of(path) in READERS and not path.startswith(LEFT_OUT):
                    yield path


def main():
    is_count = "--count" in sys.argv
    counts = collections.Counter()
    failed, files = False, sorted(find_files())
    for path in files:
        room = "/".join(path.split("/")[:2 if path.startswith(("fs/", "merge/", "tests/")) else 1])
        for line, wrong in find_in(path):
            counts[room] += 1
            failed = True
            print(f"{path}:{line}: {wrong}")
    if is_count:
        print(*(f"{room}: {count}" for room, count in sorted(counts.items())), sep="\n")
    if not files:
        print("no file is found: this is not our tree")
    sys.exit(1 if failed or not files else 0)


with open(f"{os.path.dirname(os.path.realpath(__file__))}/../../.editorconfig", encoding="utf-8") as editor:
    COLUMNS = int(re.search(r"\[\*\.\{c,h\}\][^\[]*max_line_length = (\d+)", editor.read())[1])
TREES = [argument for argument in sys.argv[1:] if argument != "--count"]
os.chdir(TREES[0] if TREES else f"{os.path.dirname(os.path.realpath(__file__))}/../..")
main()
