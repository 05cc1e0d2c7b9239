#!/usr/bin/python3
"""Compares the cfengine strategy with CFEngine's own mergedata() on random input.

    cfengine_compare.py BATCH [COUNT [SEED]]

BATCH is the program built from batch.c. Skipped (77) if cf-agent is not installed. Both must give the same value,
except for order, or both an error. The script does not generate input that CFEngine gets wrong outside of
mergedata(): reals of more than four decimals and exponents, \\u escapes, a backslash before a letter (escapes are
decoded twice), JSON that is not finished (which it takes for a name).
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
RUN_SIZE = 250  # mergedata() calls in one run of cf-agent
NAMES = ["alpha", "beta_", "gamma2_", "x"]
KEYS = ["0", "1", "2", "10", "k", "key b", "x-y", "a.b", "", "true", "K"]
PRIMITIVES = [0, 1, -7, 12345678, 1.5, -0.25, True, False, None, "", "text", "0", "true", "a b",
              "quote \" \\ /", "tab\tnewline\n", "{", "[x]", "1.10"]


class Source(random.Random):
    """Random numbers, and whether they made something that may be an error."""
    may_fail = False

    def fail(self, choices):
        self.may_fail = True
        return self.choice(choices)


def value(rng, depth, kinds="lmp"):
    kind = rng.choice(kinds if depth > 0 else "p")
    if kind == "l":
        return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == "m":
        keys = rng.sample(KEYS, rng.randrange(4))
        return {key: value(rng, depth - 1) for key in keys}
    return rng.choice(PRIMITIVES)


def index(rng, data):
    """Returns a key of the container, mostly an existing one, and its value."""
    if isinstance(data, dict) and data and rng.random() < 0.97:
        key = rng.choice(list(data))
        return key, data[key]
    if isinstance(data, list) and data and rng.random() < 0.97:
        offset = rng.randrange(len(data))
        return rng.choice(["%d", "0%d"]) % offset, data[offset]
    return rng.fail(["0", "2", "k", "key b", "5", "-1", "nope"]), None


def name(rng, containers, indexes):
    if rng.random() < 0.01:
        return rng.fail(["nope", "alph", "alphaa", "_", "truex"])
    text = rng.choice(list(containers))
    data = containers[text]
    for _ in range(indexes):
        if rng.random() < 0.4:
            break
        key, data = index(rng, data)
        if key == "" and indexes == 1:
            break  # in inline JSON CFEngine has no empty index
        text += "[" + key + "]"
    return text


def space(rng):
    return rng.choice(["", "", " ", "\n", "  \t"])


def word(rng, containers):
    kind = rng.random()
    if kind < 0.5:
        return name(rng, containers, 1)
    if kind < 0.98:
        return json.dumps(rng.choice(PRIMITIVES))
    return rng.fail(["true", "false", "null", "truex", "01", "1.", "-", "$", "+1", "nulls"])


def inline(rng, containers, depth, kinds):
    """Returns inline JSON, and some text that CFEngine's parser takes for it."""
    kind = rng.choice(kinds)
    if depth == 0 or kind == "w":
        return word(rng, containers)
    is_array = kind == "a"
    parts = []
    for _ in range(rng.randrange(4)):
        part = space(rng) + inline(rng, containers, depth - 1, "aoww") + space(rng)
        if not is_array:
            key = rng.choice(KEYS)
            bare = key.replace("-", "").replace("_", "").isalnum() and rng.random() < 0.5
            colon = rng.choice([":", ":", " : "]) if bare or rng.random() < 0.98 else " "
            part = space(rng) + (key if bare else json.dumps(key)) + colon + part
        parts.append(part)
    comma = "," if rng.random() < 0.97 else rng.fail([" ", ",,"])
    tail = rng.choice([",", ""]) if rng.random() < 0.1 else ""
    text = comma.join(parts) + tail
    return "[" + text + "]" if is_array else "{" + text + "}"


def argument(rng, containers):
    kind = rng.random()
    if kind < 0.4:
        return name(rng, containers, 0)
    if kind < 0.6:
        return name(rng, containers, 3)
    if kind < 0.95:
        text = space(rng) + inline(rng, containers, 3, "ao")
        return text + rng.choice(["", "", " ", " tail", "]"])
    return rng.choice(["true", "false", "null", "1", '"text"', "nope", "-1", "1.5", "01"])


def is_taken_for_name(rng, text):
    """If inline JSON is an error, CFEngine looks for a name in the rest of the text."""
    return rng.may_fail and text.strip()[0] in "[{" and ":" in text


def case(rng, number):
    containers = {each + str(number): value(rng, 3, "lm") for each in NAMES}
    arguments = []
    for _ in range(rng.randrange(1, 5)):
        rng.may_fail = False
        text = argument(rng, containers)
        if not is_taken_for_name(rng, text):
            arguments.append(text)
    return containers, arguments or [rng.choice(list(containers))]


POLICY = """body common control {{ bundlesequence => {{ "main" }}; }}
bundle agent main
{{
vars:
  "arguments" data => readjson("{directory}/in/arguments.json", inf);
{variables}
files:
{files}
}}
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.chmod(path, 0o600)


def policy(directory, cases):
    variables, files = [], []
    for i, (containers, arguments) in enumerate(cases):
        for name_, data in containers.items():
            path = directory + "/in/" + name_ + ".json"
            write(path, json.dumps(data, ensure_ascii=False))
            variables.append('  "%s" data => readjson("%s", inf);' % (name_, path))
        given = ", ".join('"$(arguments[%d][%d])"' % (i, j) for j in range(len(arguments)))
        variables.append('  "r%d" data => mergedata(%s);' % (i, given))
        variables.append('  "s%d" string => storejson(r%d);' % (i, i))
        files.append('  "%s/out/%d" create => "true", content => "$(s%d)", if => isvariable("s%d");'
                     % (directory, i, i, i))
    return POLICY.format(directory=directory, variables="\n".join(variables),
                         files="\n".join(files))


def original(directory, cases):
    """Returns what cf-agent makes of the cases: values, and None if it fails."""
    for each in ("in", "out", "work/inputs", "work/bin"):
        shutil.rmtree(os.path.join(directory, each), ignore_errors=True)
        os.makedirs(os.path.join(directory, each))
    # cf-agent wants its cf-promises there. If cf-promises refuses the policy, it runs the fail-safe policy; the usual
    # one would start servers.
    os.symlink(shutil.which("cf-promises"), directory + "/work/bin/cf-promises")
    write(directory + "/work/inputs/failsafe.cf",
          'body common control { bundlesequence => { "main" }; }\n'
          'bundle agent main { reports: "the policy is refused"; }\n')
    # CFEngine decodes the escapes in a string twice.
    write(directory + "/in/arguments.json",
          json.dumps([[text.replace("\\", "\\\\") for text in arguments]
                      for _, arguments in cases], ensure_ascii=False))
    write(directory + "/policy.cf", policy(directory, cases))
    log = subprocess.run(["cf-agent", "-K", "-w", directory + "/work", "-f",
                          directory + "/policy.cf"], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=600, check=False).stdout
    if b"the policy is refused" in log:
        sys.exit("cf-agent did not run the policy:\n" + log.decode("utf-8", "replace"))
    results = []
    for i in range(len(cases)):
        path = "%s/out/%d" % (directory, i)
        results.append(None)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                results[i] = json.load(stream)
    return results


def as_yaml(rng, data):
    """Returns JSON, in which some keys are numbers and booleans: they count as their text."""
    return re.sub(r'"(0|1|2|10|true)": ', lambda key: rng.choice([key[0], key[1] + ": "]), json.dumps(data))


def ours(batch, rng, cases):
    """Returns what the strategy makes of them: values, and (None, the message) if it fails."""
    requests = [{"strategy": "cfengine", "to": "json", "options": {"args": arguments},
                 "inputs": [[name_, as_yaml(rng, data)] for name_, data in containers.items()]}
                for containers, arguments in cases]
    output = subprocess.run([batch], input=json.dumps(requests).encode(), check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    lines = [json.loads(line) for line in output.splitlines()]
    return [json.loads(text) if kind == "text" else None for kind, text in lines], lines


def same(a, b):
    """Typed: 1 and true differ, 1 and 1.0 do not."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b


def main():
    batch = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if not shutil.which("cf-agent") or not shutil.which("cf-promises"):
        print("1..0 # SKIP cf-agent is not installed (Debian: cfengine3)")
        return SKIPPED
    rng = Source(seed)
    different = failures = 0
    with tempfile.TemporaryDirectory() as directory:
        for begin in range(0, count, RUN_SIZE):
            cases = [case(rng, i) for i in range(min(RUN_SIZE, count - begin))]
            theirs, (mine, lines) = original(directory, cases), ours(batch, rng, cases)
            for i, (containers, arguments) in enumerate(cases):
                failures += theirs[i] is None
                if same(theirs[i], mine[i]):
                    continue
                different += 1
                print("# arguments:", json.dumps(arguments))
                for each in containers:
                    print("#   %s = %s" % (each, json.dumps(containers[each])))
                print("#   CFEngine:", json.dumps(theirs[i]))
                print("#   cfengine:", lines[i][1] if mine[i] is None else json.dumps(mine[i]))
    print("1..1")
    print("# seed %d: %d cases, %d of them errors, %d differ" % (seed, count, failures, different))
    print("%sok 1 - mergedata() agrees with CFEngine" % ("not " if different else ""))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
