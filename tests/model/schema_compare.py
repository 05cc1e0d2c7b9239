#!/usr/bin/env python3
"""Random schemas and instances: python3-jsonschema and plyfs must agree.

usage: schema_compare.py DRIVER GROUPS [SEED]

Skipped (77) if python3-jsonschema is not installed.
"""
import importlib.metadata
import json
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

INSTANCES = 12
NAMES = ["a", "b", "c", "foo", "fo", ""]
STRINGS = ["", "a", "foo", "fo", "bar", "été", "💩", "1"]
NUMBERS = [0, 1, 1.0, 2, 3, -1, 0.5, 1.5, 2.5, 100, 1e3, 12345678901234567890, -7]
PATTERNS = ["^f", "o$", "^.$", "a|b", "^[a-c]*$", "^[0-9a-z]+$", "\\d", "^.{2,3}$", "[^a]"]
TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"]
DRAFTS = {
    "http://json-schema.org/draft-04/schema#": jsonschema.Draft4Validator,
    "http://json-schema.org/draft-06/schema#": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-07/schema#": jsonschema.Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
}
# Older versions have a different idea of what was evaluated.
KNOWS_UNEVALUATED = tuple(map(int, importlib.metadata.version("jsonschema").split(".")[:2])) >= (4, 20)


def is_equal(one, two):
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(is_equal, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(is_equal(one[key], two[key]) for key in one)
    return isinstance(one, bool) == isinstance(two, bool) and one == two


def enum(_validator, values, instance, _schema):
    if not any(is_equal(value, instance) for value in values):
        yield jsonschema.ValidationError("is none of them")


# Older versions compare as Python does, to which [true, 1] is [true, true].
for draft in DRAFTS.values():
    draft.VALIDATORS["enum"] = enum


class Maker:
    """Random schemas of one draft, and instances that may match."""

    def __init__(self, rng, year):
        """`year` is the draft's number, or that of its year."""
        self.rng = rng
        self.year = year
        self.is_new = year >= 2019
        self.defs = "$defs" if self.is_new else "definitions"

    def value(self, depth=2):
        rng = self.rng
        kind = rng.randrange(9 if depth else 6)
        if kind < 2:
            return rng.choice(NUMBERS)
        if kind < 4:
            return rng.choice(STRINGS)
        if kind == 4:
            return rng.choice([True, False])
        if kind == 5:
            return None
        if kind == 6:
            return [self.value(depth - 1) for _ in range(rng.randrange(4))]
        return {rng.choice(NAMES): self.value(depth - 1) for _ in range(rng.randrange(4))}

    def schemas(self, depth):
        return [self.schema(depth) for _ in range(self.rng.randint(1, 3))]

    def named(self, depth):
        return {self.rng.choice(NAMES): self.schema(depth) for _ in range(self.rng.randint(1, 3))}

    def names(self):
        return self.rng.sample(NAMES, self.rng.randint(0, 2))

    def simple(self):
        rng = self.rng
        return rng.choice([
            lambda: {"type": rng.choice(TYPES)},
            lambda: {"type": rng.sample(TYPES, 2)},
            lambda: {"enum": [self.value(1) for _ in range(rng.randint(1, 4))]},
            lambda: {"const": self.value(1)} if self.year >= 6 else {},
            lambda: {"multipleOf": rng.choice([1, 2, 0.5, 1.0])},
            self.limit,
            lambda: {rng.choice(["maxLength", "minLength"]): rng.randrange(4)},
            lambda: {"pattern": rng.choice(PATTERNS)},
            lambda: {rng.choice(["maxItems", "minItems", "maxProperties", "minProperties"]): rng.randrange(4)},
            lambda: {"uniqueItems": rng.choice([True, True, False])},
            lambda: {"required": self.names()},
        ])()

    def limit(self):
        which = self.rng.choice(["aximum", "inimum"])
        if self.year == 4:
            exclusive = {"exclusiveM" + which: self.rng.choice([True, True, False])}
            return {**self.rng.choice([{}, exclusive]), "m" + which: self.rng.choice(NUMBERS)}
        return {self.rng.choice(["m", "exclusiveM"]) + which: self.rng.choice(NUMBERS)}

    def nested(self, depth):
        rng = self.rng
        choices = [
            lambda: {"properties": self.named(depth)},
            lambda: {"patternProperties": {rng.choice(PATTERNS): self.schema(depth)}},
            lambda: {"additionalProperties": self.schema(depth)},
            lambda: {"allOf": self.schemas(depth)},
            lambda: {"anyOf": self.schemas(depth)},
            lambda: {"oneOf": self.schemas(depth)},
            lambda: {"not": self.schema(depth)},
            lambda: {"items": self.schema(depth)},
        ]
        if self.year >= 6:
            choices += [
                lambda: {"propertyNames": self.schema(depth)},
                lambda: {"contains": self.schema(depth)},
            ]
        if self.year >= 7:
            choices += [
                lambda: {"if": self.schema(depth), rng.choice(["then", "else"]): self.schema(depth)},
                lambda: {"if": self.schema(depth), "then": self.schema(depth), "else": self.schema(depth)},
                lambda: {"then": self.schema(depth)},
            ]
        if self.year >= 2020:
            choices += [
                lambda: {"prefixItems": self.schemas(depth)},
                lambda: {"prefixItems": self.schemas(depth), "items": self.schema(depth)},
            ]
        if self.is_new:
            choices += [
                lambda: {"contains": self.schema(depth), "minContains": rng.randrange(3)},
                lambda: {"contains": self.schema(depth), "maxContains": rng.randrange(3)},
                lambda: {"dependentRequired": {rng.choice(NAMES): self.names()}},
                lambda: {"dependentSchemas": {rng.choice(NAMES): self.schema(depth)}},
            ]
        if self.is_new and KNOWS_UNEVALUATED:
            choices += [
                lambda: {"unevaluatedProperties": self.schema(depth)},
                lambda: {"unevaluatedItems": self.schema(depth)},
                lambda: {"unevaluatedProperties": False},
                lambda: {"unevaluatedItems": False},
            ]
        if self.year < 2020:
            choices += [
                lambda: {"items": self.schemas(depth), "additionalItems": self.schema(depth)},
                lambda: {"additionalItems": self.schema(depth)},
            ]
        if not self.is_new:
            choices += [
                lambda: {"dependencies": {rng.choice(NAMES): self.names()}},
                lambda: {"dependencies": {rng.choice(NAMES): self.schema(depth)}},
            ]
        return rng.choice(choices)()

    def reference(self):
        """A reference to a definition. Definitions are made without references in place, so there is no loop."""
        return {"$ref": self.rng.choice([f"#/{self.defs}/d{i}" for i in range(3)] + ["#named"])}

    def schema(self, depth):
        rng = self.rng
        if rng.random() < 0.1 and self.year >= 6:
            return rng.choice([True, True, False])
        if rng.random() < 0.15 and self.may_refer:
            reference = self.reference()
            return {**reference, **self.simple()} if self.is_new and rng.random() < 0.5 else reference
        result = {}
        for _ in range(rng.randint(1, 3)):
            result.update(self.nested(depth - 1) if depth and rng.random() < 0.7 else self.simple())
        return result

    def document(self, uri):
        self.may_refer = False
        defs = {f"d{i}": self.schema(2) for i in range(3)}
        named = self.schema(1)
        anchor = {"$anchor" if self.is_new else "id" if self.year == 4 else "$id": "named" if self.is_new else "#named"}
        defs["named"] = {**anchor, **named} if isinstance(named, dict) else {**anchor, "not": {}}
        self.may_refer = True
        schema = self.schema(3)
        while isinstance(schema, bool) or ("$ref" in schema and not self.is_new):
            schema = self.schema(3)
        return {"$schema": uri, self.defs: defs, **schema}


def make_groups(rng, count):
    groups = []
    for _ in range(count):
        uri = rng.choice(list(DRAFTS))
        maker = Maker(rng, int(re.search(r"draft[-/]0?(\d+)", uri).group(1)))
        groups.append({"schema": maker.document(uri),
                       "tests": [{"data": maker.value(3)} for _ in range(INSTANCES)]})
    return groups


def main():
    driver, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    groups = make_groups(random.Random(seed), count)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "groups.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(groups, file)
        lines = subprocess.run([driver, "/nowhere", path], capture_output=True, text=True, check=True).stdout.splitlines()
    wrong = 0
    verdicts = {"valid": 0, "invalid": 0, "none": 0}
    validators = {}
    for line in lines:
        _, number, test, verdict, message = line.split("\t", 4)
        schema = groups[int(number)]["schema"]
        data = groups[int(number)]["tests"][int(test)]["data"]
        if number not in validators:
            validators[number] = DRAFTS[schema["$schema"]](schema)
        try:
            expected = "valid" if validators[number].is_valid(data) else "invalid"
        except TypeError:
            # python3-jsonschema fails on draft 7's additionalItems beside `items: true`.
            verdicts["none"] += 1
            continue
        verdicts[expected] += 1
        if verdict != expected:
            wrong += 1
            if wrong <= 5:
                print(f"WRONG group {number}: jsonschema says {expected}, plyfs {verdict} {message}\n"
                      f"    schema {json.dumps(schema)}\n    data {json.dumps(data)}")
    print(f"{len(lines)} comparisons ({verdicts['valid']} valid, {verdicts['invalid']} invalid, "
          f"{verdicts['none']} where jsonschema gives up), {wrong} wrong")
    sys.exit(1 if wrong or len(lines) != count * INSTANCES else 0)


main()
