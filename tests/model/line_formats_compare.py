#!/usr/bin/python3
"""Compares reading and writing of the formats that are made of lines with second implementations.

    line_formats_compare.py BATCH [COUNT [SEED [FORMAT]]]

BATCH is the program built from batch.c. Documents are made at random, many of them broken. plyfs must refuse what
the model refuses, and give the same values for the others: as JSON, and when it is written in the format and read
again by the models (line_models.py). docker compose and systemd must read the same from environment files that
plyfs writes.
"""

import json
import random
import subprocess
import sys

from line_models import FORMATS, Refused

BATCH = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 500
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
ONLY = sys.argv[4] if len(sys.argv) > 4 else None


def run(requests):
    done = subprocess.run([BATCH], input=json.dumps(requests), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{BATCH} fails: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(name, texts, to):
    # A second source, so that the file is not shown byte for byte.
    return {"strategy": "deep", "from": name, "to": to, "options": {},
            "inputs": [[f"l{i}", text] for i, text in enumerate(texts + [""])]}


def compare(name, chance):
    document, model, check = FORMATS[name]
    cases = []
    for _ in range(COUNT):
        texts = [document(chance) for _ in range(chance.randrange(1, 4) if name == "systemd" else 1)]
        try:
            cases.append((texts, model(*texts)))
        except Refused:
            cases.append((texts, None))
        except LookupError:
            pass
    as_json = run([request(name, texts, "json") for texts, _ in cases])
    written = run([request(name, texts, name) for texts, _ in cases])
    refused = 0
    for (texts, tree), (kind, text), (own_kind, own) in zip(cases, as_json, written):
        where = f"{name}, seed {SEED}: {texts!r}"
        if tree is None:
            refused += 1
            assert kind == "error", f"{where}: read as {text}"
            continue
        assert kind == "text", f"{where}: {text}, and not {tree}"
        got = json.loads(text) or {}
        assert got == tree, f"{where}: {got}, and not {tree}"
        assert own_kind == "text", f"{where}: {own}"
        again = model(own)
        assert again == tree, f"{where}: written as {own!r}, which is {again}"
        if check:
            check(texts[0], own)
    assert len(cases) > COUNT / 3 and refused < len(cases) / 2, (len(cases), refused)
    print(f"{name}: {len(cases)} documents, {refused} of them refused")


print(f"seed {SEED}")
for name in FORMATS:
    if ONLY in (None, name):
        compare(name, random.Random(f"{name} {SEED}"))
