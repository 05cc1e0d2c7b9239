"""Sources with access lists (acl(5)) of every kind, against users whom they name and others.

    access_lists.py make     fills low/ and high/ with files and directories
    access_lists.py check    reads mnt/ as each user

The kernel decides what the lists give: a user who reads a file in the mount must be able to read each of its
sources, and to enter and list each of a directory's.
"""
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
import rights  # noqa: E402

# (uid, gid, further groups)
USERS = [(1001, 2001, []), (1002, 2001, [2002]), (1003, 2003, []), (1004, 2004, [2003])]
UNDEFINED = 0xFFFFFFFF
USER_OBJ, USER, GROUP_OBJ, GROUP, MASK, OTHER = 1, 2, 4, 8, 16, 32
COUNT = 400


def set_list(path, entries):
    data = struct.pack("<I", 2)
    for tag, perm, who in sorted(entries, key=lambda entry: (entry[0], entry[2])):
        data += struct.pack("<HHI", tag, perm, who)
    os.setxattr(path, "system.posix_acl_access", data)


def random_list(chance):
    bits = (0, 4, 5, 5, 7, 7)
    users = chance.sample([1001, 1002, 1003], chance.randint(0, 2))
    groups = chance.sample([2001, 2002, 2003], chance.randint(0, 2))
    entries = [(USER_OBJ, 7, UNDEFINED), (GROUP_OBJ, chance.choice(bits), UNDEFINED), (OTHER, chance.choice(bits), UNDEFINED)]
    entries += [(USER, chance.choice(bits), user) for user in users]
    entries += [(GROUP, chance.choice(bits), group) for group in groups]
    if users or groups:
        entries.append((MASK, chance.choice(bits), UNDEFINED))
    return entries


def make():
    chance = random.Random(16)
    for number in range(COUNT):
        for layer in ("low", "high"):
            where = f"{layer}/{number}"
            os.mkdir(where)
            for name in ("both.yaml", f"{layer}.yaml"):
                with open(f"{where}/{name}", "w") as file:
                    file.write(f"{layer}: 1\n")
            # An open directory has a file that may be closed to users, and the other way round.
            what = f"{where}/both.yaml" if number % 2 else where
            os.chown(what, chance.choice([0, 1001, 1002]), chance.choice([0, 2001, 2002]))
            set_list(what, random_list(chance))


def check_as(user):
    bad, given, kept = [], 0, 0
    for number in range(COUNT):
        names = {"both.yaml": ("low", "high"), "low.yaml": ("low",), "high.yaml": ("high",), "": ("low", "high")}
        for name, layers in names.items():
            may = all(rights.can_open(f"{layer}/{number}/{name}") for layer in layers)
            if rights.can_open(f"mnt/{number}/{name}"):
                given += 1
                if not may:
                    bad.append(f"{user} gets {number}/{name}")
            elif may:
                kept += 1
    if given < COUNT / 4:
        bad.append(f"{user} can read next to nothing: this proves nothing")
    print(f"{user}: {given} let in, {kept} shut out whom a list would let in", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(make() if sys.argv[1] == "make" else rights.check(USERS, check_as))
