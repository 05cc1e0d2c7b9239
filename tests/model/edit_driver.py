"""Shared by the comparisons of edits: the program built from edit_driver.c, and its splices."""

import json
import re
import subprocess
import sys


def run(driver, requests):
    """Returns the answers to a list of requests."""
    ran = subprocess.run([driver], input=json.dumps(requests), capture_output=True, text=True, check=False)
    if ran.returncode or ran.stderr:
        sys.exit(f"{driver} fails: {ran.returncode} {ran.stderr[:4000]}")
    return [json.loads(line) for line in ran.stdout.split("\n") if line]


def spliced(text, splices):
    """Returns the text with the splices done, or None if they overlap."""
    old, new, at = text.encode(), b"", 0
    for offset, length, put in splices:
        if offset < at:
            return None
        new += old[at:offset] + put.encode()
        at = offset + length
    return (new + old[at:]).decode()


def above_entries(text, signs, is_strict):
    """Returns the comment lines, stripped, that may go with the entry directly below. Strictly, a blank line, the
    start of the text or a head must be above them; another edit may have brought that about, or an
    entry below the last comments."""
    found, block, starts = [], [], True
    for line in re.split(r"\r\n|\r|\n", text.lstrip("\ufeff").rstrip()):
        line = line.strip()
        if line.startswith(tuple(signs)):
            block.append(line)
            continue
        if line and (starts or not is_strict):
            found += block
        block, starts = [], line in ("", "\\") or line.startswith("[")
    return found if is_strict else found + block


def check_undone(driver, form, cases):
    """Checks that an op which adds an entry changes no byte if the same edit removes the entry again. A case is a
    text, and the op's kind, path and value."""
    results = run(driver, [{"format": form, "text": text, "ops": [
        {"kind": kind, "path": path, "value": json.dumps(value)}, {"kind": "remove", "path": path}]}
        for text, kind, path, value in cases])
    for case, result in zip(cases, results, strict=True):
        assert result[0] == "error" or result[1:] == [case[0], []], f"{case}\nis\n{result}"
