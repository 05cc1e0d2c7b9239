#!/usr/bin/env python3
"""Finds messages that end with the words of strerror(3), which say what is wrong and not what to do.

text_error() adds a remedy to them. A message that uses strerror() itself goes on behind it: "…: %s; do this", or says
"(%s)" in a sentence of its own.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The function that adds the remedies, and the words of children and programs that are quoted in a longer message.
ALLOWED = {"conf/text.c", "fs/mirror/subprocess.c", "fs/supervisor/mirror_process.c", "fs/run/run_result.c"}
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def statement_at(text, at):
    """Returns the statement around a position, with its literals."""
    outside = LITERAL.sub(lambda m: "x" * len(m.group()), text)
    begin = max(outside.rfind(c, 0, at) for c in ";{}")
    return text[begin + 1:outside.find(";", at)]


found = []
for room in ("cli", "conf", "fs", "merge", "schema"):
    for path in sorted((ROOT / room).rglob("*.c")):
        name = str(path.relative_to(ROOT))
        text = path.read_text()
        for match in re.finditer(r"(?<![.\w])strerror\(", text):
            message = "".join(LITERAL.findall(statement_at(text, match.start())))
            if name not in ALLOWED and not re.search(r"%s(;|\)| is |, )", message):
                found.append("%s:%d: %s" % (name, text.count("\n", 0, match.start()) + 1, message or "no text"))
print("\n".join(found))
sys.exit(bool(found))
