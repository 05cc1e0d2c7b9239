#!/usr/bin/env python3
"""JSON-Schema-Test-Suite: every required test of a draft must have the result that the suite states.

usage: schema_suite.py DRIVER LEAST

The suite is Debian's package json-schema-test-suite, or SUITE, a directory with tests/ in it. Skipped (77) if
there is none. It must have at least LEAST tests. EXCEPTED has the exceptions, each with its reason.
"""
import json
import os
import subprocess
import sys

SUITE = os.environ.get("SUITE", "/usr/share/json-schema-test-suite")
DRAFTS = {"draft7": "http://json-schema.org/draft-07/schema#",
          "draft2020-12": "https://json-schema.org/draft/2020-12/schema"}

# Optional files about things that plyfs supports. `format` and the like are only notes to it.
OPTIONAL = ("bignum.json", "ecmascript-regex.json", "zeroTerminatedFloats.json", "float-overflow.json",
            "non-bmp-regex.json", "refOfUnknownKeyword.json", "unknownKeyword.json", "anchor.json", "id.json",
            "no-schema.json", "dynamicRef.json")

REMOTE = "refers to another document, which plyfs does not fetch: it is refused"
FORMAT = "asks for the format 'regex' to be checked, and formats are notes"

# {draft/file: {group: reason}}: all of a group's tests.
EXCEPTED = {
    "draft7/refRemote.json": {
        "remote ref": REMOTE,
        "fragment within remote ref": REMOTE,
        "ref within remote ref": REMOTE,
        "base URI change": REMOTE,
        "base URI change - change folder": REMOTE,
        "base URI change - change folder in subschema": REMOTE,
        "root ref in remote ref": REMOTE,
    },
    "draft7/optional/ecmascript-regex.json": {"ECMA 262 regex non-compliance": FORMAT},
}


def exception(name, group, verdict):
    """Returns why a test need not have the stated result; None: it must."""
    reason = EXCEPTED.get(name, {}).get(group["description"])
    if reason == REMOTE and verdict != "refused":
        return None
    return reason


def files_of(draft):
    """Returns the files of a draft, the optional ones after the required ones."""
    folder = f"{SUITE}/tests/{draft}"
    if not os.path.isdir(folder):
        return []
    required = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    optional = [f"optional/{name}" for name in OPTIONAL if os.path.exists(f"{folder}/optional/{name}")]
    return [f"{folder}/{name}" for name in required + optional]


def with_draft(path, uri):
    """Returns the file's groups, each schema with the draft that it is written in."""
    with open(path, encoding="utf-8") as file:
        groups = json.load(file)
    for group in groups:
        if isinstance(group["schema"], dict) and "$schema" not in group["schema"]:
            group["schema"] = {"$schema": uri, **group["schema"]}
    return groups


def main():
    driver, least = sys.argv[1], int(sys.argv[2])
    if not os.path.isdir(f"{SUITE}/tests"):
        print("json-schema-test-suite is not installed")
        sys.exit(77)
    run = wrong = 0
    excepted = {}
    for draft, uri in DRAFTS.items():
        for path in files_of(draft):
            groups = with_draft(path, uri)
            text = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"schema-suite-{os.getpid()}.json")
            with open(text, "w", encoding="utf-8") as file:
                json.dump(groups, file)
            try:
                lines = subprocess.run([driver, text], capture_output=True, text=True, check=True).stdout
            finally:
                os.unlink(text)
            for line in lines.splitlines():
                _, group, number, verdict, message = line.split("\t", 4)
                group = groups[int(group)]
                test = group["tests"][int(number)]
                run += 1
                if verdict == ("valid" if test["valid"] else "invalid"):
                    continue
                name = os.path.relpath(path, f"{SUITE}/tests")
                reason = exception(name, group, verdict)
                name += f": {group['description']}: {test['description']}"
                if reason:
                    excepted.setdefault(reason, []).append(name)
                else:
                    wrong += 1
                    print(f"WRONG {name}: {verdict} {message}")
    for reason, names in excepted.items():
        print(f"excepted, {reason}:")
        for name in names:
            print(f"    {name}")
    print(f"{run} tests, {sum(map(len, excepted.values()))} excepted, {wrong} wrong")
    sys.exit(1 if wrong or run < least else 0)


main()
