#!/usr/bin/python3
"""Runs the golden edits: every folder here is one, whose name is the rule that it protects.

    run.py [--accept] DRIVER [FOLDER…]

    before.yaml     the text; its ending is the format
    op              a line for each op: "set PATH VALUE", "insert PATH VALUE" or "remove PATH", where
                    the path is a JSON list of keys and indexes, and the value YAML; before the path
                    may stand the number of the document, from 0
    after.yaml      the text that must come out, byte for byte
    refused         or else the message, one line

DRIVER is tests/model/edit_driver. Prints TAP. --accept writes the results as the expected files.
"""

import difflib
import json
import pathlib
import subprocess
import sys


def read_op(line):
    kind, rest = line.split(" ", 1)
    document = 0
    if rest[0].isdigit():
        document, rest = rest.split(" ", 1)
    path, end = json.JSONDecoder().raw_decode(rest)
    op = {"kind": kind, "path": path, "document": int(document)}
    if kind != "remove":
        op["value"] = rest[end:].strip()
    return op


def read_bytes(path):
    return path.read_bytes().decode()


def request_of(folder):
    before = next(folder.glob("before.*"))
    ops = [read_op(line) for line in read_bytes(folder / "op").splitlines() if line]
    return {"format": before.suffix[1:], "text": read_bytes(before), "ops": ops}


def outcome(request, answer):
    """Returns the file that should hold the result, and its text."""
    if answer[0] == "edited":
        return "after." + request["format"], answer[1]
    return "refused", answer[1] + "\n"


def check(folder, name, text):
    expected = [path for path in [*folder.glob("after.*"), *folder.glob("refused")]]
    if [path.name for path in expected] == [name] and read_bytes(expected[0]) == text:
        return True
    old = read_bytes(expected[0]) if expected else ""
    for line in difflib.unified_diff(old.splitlines(), text.splitlines(),
                                     expected[0].name if expected else "", name, lineterm=""):
        print("#", line)
    return False


def accept(folder, name, text):
    for path in [*folder.glob("after.*"), *folder.glob("refused")]:
        path.unlink()
    (folder / name).write_bytes(text.encode())


def main():
    is_accept = "--accept" in sys.argv
    driver, *chosen = [word for word in sys.argv[1:] if word != "--accept"]
    here = pathlib.Path(__file__).parent
    folders = [here / name for name in chosen] or sorted(p.parent for p in here.glob("*/op"))
    requests = [request_of(folder) for folder in folders]
    done = subprocess.run([driver], input=json.dumps(requests), capture_output=True, text=True,
                          check=True)
    print("1..%d" % len(folders))
    failed = 0
    for i, (folder, request, line) in enumerate(
            zip(folders, requests, done.stdout.split("\n")[:-1], strict=True), 1):
        name, text = outcome(request, json.loads(line))
        if is_accept:
            accept(folder, name, text)
        is_right = check(folder, name, text)
        failed += not is_right
        print("%sok %d - %s" % ("" if is_right else "not ", i, folder.name))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
