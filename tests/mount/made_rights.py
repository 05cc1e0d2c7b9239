"""A result of several files and directories is for users who may read, or search, each of them.

    made_rights.py make     fills low/ and high/, and writes plyfs.yaml
    made_rights.py check    reads mnt/ as each user

The results are a virtual file, a file with a drop-in, one that a pillar file refers to, and a directory of two
layers, each in many cases of modes, owners and groups. The kernel's own rules, computed here, decide which users
may use all parts. No other user may use the result, and all of these may, if any owner, group and mode can express
that.
"""
import itertools
import os
import random
import sys

from rights import can_open, given, may, write

OWNERS = [(0, 0), (0, 2001), (0, 2002), (1001, 2001)]
FILES = list(itertools.product([0o644, 0o640, 0o600, 0o604, 0o044], OWNERS))
GUARDS = [(0o755, (0, 0)), (0o711, (1001, 2002))] + list(
    itertools.product([0o750, 0o710, 0o700, 0o705], OWNERS))
DIRECTORIES = list(itertools.product([0o755, 0o750, 0o711, 0o710, 0o700, 0o705], OWNERS))
CASES = 200

# Owner 1001 and anybody else, with every set of the groups.
USERS = [(uid, 3000, list(groups)) for uid in (1001, 1003) for count in range(4)
         for groups in itertools.combinations([0, 2001, 2002], count)]


def cases():
    """Returns cases of files: their directory and two of them. The cases are always the same, the plain ones first."""
    plain = [(GUARDS[0], one, other) for one in FILES[:8] for other in FILES[:4]]
    everything = list(itertools.product(GUARDS, FILES, FILES))
    return plain + random.Random(1).sample(everything, CASES)


def pairs():
    """Returns cases of directories, likewise."""
    return random.Random(2).sample(list(itertools.product(DIRECTORIES, repeat=2)), CASES)


def put(path, mode, owner, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write(path, text)
    given(path, mode, owner)


def make():
    settings = "layers: [low, high]\noptions: {header: false}\nrules:\n"
    settings += "  - {match: 'r/*.yaml', dropins: true}\n"
    settings += "  - {match: 'top/*.yaml', strategy: pillar, options: {data_path: data}}\nfiles:\n"
    for number, (guard, one, other) in enumerate(cases()):
        settings += f"  - {{path: v/{number}.yaml, from: ['p/{number}/*.yaml']}}\n"
        put(f"low/p/{number}/1.yaml", *one, "a: 1\n")
        put(f"high/p/{number}/2.yaml", *other, "b: 1\n")
        given(f"low/p/{number}", *guard)
        put(f"low/r/{number}.yaml", *one, "a: 1\n")
        put(f"high/r/{number}.yaml.d/2.yaml", *other, "b: 1\n")
        given(f"high/r/{number}.yaml.d", *guard)
        put(f"low/top/{number}.yaml", *one, f"_merge: n{number}\na: 1\n")
        put(f"low/data/{number}/n{number}.yaml", *other, "b: 1\n")
        given(f"low/data/{number}", *guard)
    for number, pair in enumerate(pairs()):
        for layer, directory in zip(("low", "high"), pair):
            put(f"{layer}/d/{number}/{layer}", 0o644, (0, 0), layer)
            given(f"{layer}/d/{number}", *directory)
    write("plyfs.yaml", settings)


def who(mode, owner, right):
    """Returns the users that have the right, as numbers."""
    return {i for i, user in enumerate(USERS) if may(user, mode, owner, right)}


# The sets that a mode can express by owner and group.
SAYABLE = [[who((bits & 4) << 6 | (bits & 2) << 4 | (bits & 1) << 2, (uid, gid), 4) for bits in range(8)]
           for uid in (0, 1001) for gid in (0, 2001, 2002)]


def expectations():
    """Yields (what, its parts, a path to open, which users may, whether a mode can express that)."""
    for number, (guard, one, other) in enumerate(cases()):
        readers = who(*guard, 1) & who(*one, 4) & who(*other, 4)
        can_say = any(readers in sets for sets in SAYABLE)
        for name in ("v", "r", "top"):
            yield f"{name}/{number}.yaml", (guard, one, other), readers, can_say
    for number, pair in enumerate(pairs()):
        listers = who(*pair[0], 4) & who(*pair[1], 4)
        enterers = who(*pair[0], 1) & who(*pair[1], 1)
        can_say = any(listers in sets and enterers in sets for sets in SAYABLE)
        yield f"d/{number}", pair, listers, can_say
        yield f"d/{number}/low", pair, enterers, can_say


def check_as(number):
    bad = []
    for path, parts, allowed, can_say in expectations():
        is_open = can_open(f"mnt/{path}")
        if is_open != (number in allowed) and (is_open or can_say):
            verb = "gets" if is_open else "is denied"
            bad.append(f"{USERS[number]} {verb} {path}, of " + ", ".join(f"{m:o} {o}" for m, o in parts))
    return bad


def check():
    status = 0
    everything = list(expectations())
    # There must be many of both kinds, else this proves nothing.
    assert sum(can_say and 0 < len(allowed) < len(USERS) for _, _, allowed, can_say in everything) > 100
    assert sum(not can_say for _, _, _, can_say in everything) > 50
    for number, (uid, gid, groups) in enumerate(USERS):
        child = os.fork()
        if child == 0:
            os.setgroups(groups)
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
            bad = check_as(number)
            for line in bad[:5]:
                print(line, flush=True)
            os._exit(1 if bad else 0)
        status |= os.waitpid(child, 0)[1]
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit({"make": make, "check": check}[sys.argv[1]]())
