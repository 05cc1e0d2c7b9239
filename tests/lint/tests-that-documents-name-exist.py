#!/usr/bin/env python3
"""Each test that docs/reliability.md and docs/internals.md name exists: a name of three words or more with hyphens, or
one behind the word "unit". A name that ends with "…" stands for all tests that begin so.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = {path.stem for path in (ROOT / "tests").glob("*/*")} | set(
    re.findall(r"test\('([\w-]+)'", "".join(path.read_text() for path in (ROOT / "tests").rglob("meson.build"))))

missing = []
for page in ("docs/reliability.md", "docs/internals.md"):
    text = (ROOT / page).read_text()
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+){2,}(?:-…)?)`", text))
    for names in re.findall(r"\bunit ((?:`[\w…]+`(?:,| and)? ?)+)", text):
        named |= set(re.findall(r"`([\w…]+)`", names))
    missing += [f"{page}: there is no test '{name}'" for name in sorted(named) if name not in TESTS and not (
        name.endswith("…") and any(test.startswith(name[:-1]) for test in TESTS))]
print("\n".join(missing))
sys.exit(bool(missing))
