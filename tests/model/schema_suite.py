#!/usr/bin/env python3
"""JSON-Schema-Test-Suite: every required test of a draft must have the result that the suite states.

usage: schema_suite.py DRIVER LEAST

The driver finds the documents of http://localhost:1234/ in the suite's remotes/.

The suite is Debian's package json-schema-test-suite, or SUITE, a directory with tests/ in it. Skipped (77) if
there is none. It must have at least LEAST tests. EXCEPTED has the exceptions, each with its reason.
"""
import json
import os
import subprocess
import sys

SUITE = os.environ.get("SUITE", "/usr/share/json-schema-test-suite")
DRAFTS = {"draft4": "http://json-schema.org/draft-04/schema#",
          "draft6": "http://json-schema.org/draft-06/schema#",
          "draft7": "http://json-schema.org/draft-07/schema#",
          "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
          "draft2020-12": "https://json-schema.org/draft/2020-12/schema"}

# Optional files about things that plyfs supports.
OPTIONAL = ("bignum.json", "ecmascript-regex.json", "zeroTerminatedFloats.json", "float-overflow.json",
            "non-bmp-regex.json", "refOfUnknownKeyword.json", "unknownKeyword.json", "anchor.json", "id.json",
            "no-schema.json", "dynamicRef.json", "format.json")

# {draft/file: {group: reason}}: all of a group's tests.
EXCEPTED = {}


def exception(name, group):
    """Returns why a test need not have the stated result; None: it must."""
    return EXCEPTED.get(name, {}).get(group["description"])


def files_of(draft):
    """Returns the files of a draft, the optional ones after the required ones."""
    folder = f"{SUITE}/tests/{draft}"
    if not os.path.isdir(folder):
        return []
    required = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    optional = [f"optional/{name}" for name in OPTIONAL if os.path.exists(f"{folder}/optional/{name}")]
    formats = [f"optional/format/{name}" for name in sorted(os.listdir(f"{folder}/optional/format"))] \
        if os.path.isdir(f"{folder}/optional/format") else []
    return [f"{folder}/{name}" for name in required + optional + formats]


def checks_formats(path):
    """Returns whether the file's tests want formats to be checked."""
    return "/optional/format" in path or path.endswith("/ecmascript-regex.json")


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
                lines = subprocess.run([driver, "formats" if checks_formats(path) else f"{SUITE}/remotes", text], capture_output=True, text=True, check=True).stdout
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
                reason = exception(name, group)
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
