#!/usr/bin/env python3
"""No two files of the product define a struct, union or enum of the same name.

A name that means two things has to be looked up in each file. With an argument: the tree that is checked.
"""
import os
import re
import sys

ROOMS = ("merge", "schema", "conf", "fs", "cli")


def find_definitions():
    """{"struct NAME": [place of a definition]}"""
    found = {}
    for room in ROOMS:
        for folder, _, names in os.walk(room):
            for name in sorted(names):
                if not name.endswith((".c", ".h")):
                    continue
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        match = re.match(r"\s*(?:typedef |static |const )*((?:struct|union|enum) \w+) \{", line)
                        if match:
                            found.setdefault(match[1], []).append(f"{folder}/{name}:{number}")
    return found


def main():
    found = find_definitions()
    twice = {name: places for name, places in found.items() if len(places) > 1}
    for name, places in sorted(twice.items()):
        print(f"{name}: {', '.join(places)}: give each the name of its noun")
    if not found:
        print("no struct is defined: this is not our tree")
    sys.exit(1 if twice or not found else 0)


os.chdir(sys.argv[1] if len(sys.argv) > 1 else f"{os.path.dirname(os.path.realpath(__file__))}/../..")
main()
