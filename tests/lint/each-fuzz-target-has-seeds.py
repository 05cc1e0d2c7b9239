#!/usr/bin/env python3
"""Checks that seeds.py makes a seed for each fuzz target, also in a build without fuzzing."""
import pathlib
import re
import sys

FUZZ = pathlib.Path(__file__).resolve().parent.parent / "fuzz"
sys.path.insert(0, str(FUZZ))
sys.dont_write_bytecode = True

import seeds  # noqa: E402


def targets():
    text = (FUZZ / "meson.build").read_text()
    yield from re.findall(r"^  '(\w+)': \[", text, re.M)
    formats = re.search(r"^formats = \[(.*)\]", text, re.M)[1]
    for name in re.findall(r"'(\w+)'", formats):
        yield from (f"read-{name}", f"edit-{name}")


def has_seeds(target):
    kind, _, form = target.partition("-")
    return any(len(data) <= seeds.SIZE_MAX for data in getattr(seeds, kind)(form))


def main():
    missing = [target for target in targets() if not has_seeds(target)]
    sys.exit(f"tests/fuzz/seeds.py makes no seed for: {', '.join(missing)}" if missing else 0)


if __name__ == "__main__":
    main()
