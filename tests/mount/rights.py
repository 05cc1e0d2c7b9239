"""Two sources of every mode and owner against three users: no user reads what a source denies.

    rights.py make      fills low/ and high/ with files and directories
    rights.py check     reads mnt/ as each user
    rights.py race      closes directories of low/ just before a file is written in them

A file mnt/f/N is made of two sources, and the directory mnt/d/N of two directories with a file in each. mnt/v/N is
a virtual file of a source in low/p/N/. The kernel's own rules, computed here from the given modes and owners,
decide what the user may do to the sources.
"""
import itertools
import os
import sys
import time

# (uid, gid, further groups)
USERS = [(1001, 2001, []), (1002, 2001, [2002]), (1003, 2003, [])]
OWNERS = [(0, 0), (1001, 2001), (1001, 2002), (1002, 2001), (1002, 2002)]
READS = [0o444, 0o440, 0o400, 0o404, 0o044, 0o004, 0o040, 0o000]
ENTERS = [0o555, 0o550, 0o500, 0o505, 0o055, 0o005, 0o455, 0o110]


def cases(modes):
    return list(itertools.product(itertools.product(modes, OWNERS), repeat=2))


def given(path, mode, owner):
    os.chown(path, *owner)
    os.chmod(path, mode)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def make():
    for layer in ("low", "high"):
        for name in ("f", "d", "p"):
            os.mkdir(f"{layer}/{name}")
    for number, pair in enumerate(cases(READS)):
        for layer, (mode, owner) in zip(("low", "high"), pair):
            write(f"{layer}/f/{number}.yaml", f"{layer}: 1\n")
            given(f"{layer}/f/{number}.yaml", mode, owner)
    for number, pair in enumerate(cases(ENTERS)):
        if number % 3:
            continue  # the rest tests nothing new, and takes long
        for layer, (mode, owner) in zip(("low", "high"), pair):
            os.mkdir(f"{layer}/d/{number}")
            write(f"{layer}/d/{number}/{layer}", layer)
            given(f"{layer}/d/{number}", mode, owner)
    with open("plyfs.yaml", "w") as file:
        file.write("layers: [low, high]\nfiles:\n")
        for number, (mode, owner) in enumerate(itertools.product(ENTERS, OWNERS)):
            os.mkdir(f"low/p/{number}")
            write(f"low/p/{number}/part.yaml", "part: 1\n")
            given(f"low/p/{number}", mode, owner)
            file.write(f"  - {{path: v/{number}.yaml, from: ['p/{number}/*.yaml']}}\n")


def may(user, mode, owner, right):
    uid, gid, groups = user
    if uid == owner[0]:
        return bool(mode & right << 6)
    if owner[1] == gid or owner[1] in groups:
        return bool(mode & right << 3)
    return bool(mode & right)


def can_open(path):
    try:
        os.close(os.open(path, os.O_RDONLY))
        return True
    except PermissionError:
        return False


def check(users, check_as):
    """Calls `check_as`, which returns lines, for each user in a process of that user."""
    status = 0
    for user in users:
        child = os.fork()
        if child == 0:
            os.setgroups(user[2])
            os.setresgid(user[1], user[1], user[1])
            os.setresuid(user[0], user[0], user[0])
            bad = check_as(user)
            for line in bad[:10]:
                print(line, flush=True)
            if len(bad) > 10:
                print(f"… and {len(bad) - 10} more", flush=True)
            os._exit(1 if bad else 0)
        status |= os.waitpid(child, 0)[1]
    return 1 if status else 0


def judge_all(user):
    bad, read, entered = [], 0, 0

    def judge(what, pair, allowed):
        if not allowed:
            bad.append(f"{user} gets {what}, of " + ", ".join(f"{m:o} {o}" for m, o in pair))

    for number, pair in enumerate(cases(READS)):
        if can_open(f"mnt/f/{number}.yaml"):
            read += 1
            judge(f"f/{number}.yaml", pair, all(may(user, *source, 4) for source in pair))
        elif all(mode == 0o444 for mode, _ in pair):
            bad.append(f"{user} is denied f/{number}.yaml, which all may read")
    for number, pair in enumerate(cases(ENTERS)):
        if number % 3:
            continue
        for layer, source in zip(("low", "high"), pair):
            if can_open(f"mnt/d/{number}/{layer}"):
                entered += 1
                judge(f"d/{number}/{layer}", [source], may(user, *source, 1))
        if can_open(f"mnt/d/{number}"):
            judge(f"the listing of d/{number}", pair, all(may(user, *source, 4) for source in pair))
    for number, source in enumerate(itertools.product(ENTERS, OWNERS)):
        if can_open(f"mnt/v/{number}.yaml"):
            judge(f"v/{number}.yaml, a virtual file of p/{number}/", [source], may(user, *source, 1))
    if not read or not entered:
        bad.append(f"{user} can read nothing at all: this proves nothing")
    return bad


def reads_secret(path, seconds):
    """Whether the file says "secret" to the caller at any time."""
    end = time.monotonic() + seconds
    while True:
        try:
            with open(path) as file:
                if file.read() == "secret":
                    return True
        except (PermissionError, FileNotFoundError):
            pass
        if time.monotonic() >= end:
            return False


class Outsider:
    """A process without any right, which reads on request."""

    def __init__(self):
        here, self.requests = os.pipe()
        self.answers, there = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(here)
            os.close(there)
            return
        os.close(self.requests)
        os.setgroups([])
        os.setresgid(2003, 2003, 2003)
        os.setresuid(1003, 1003, 1003)
        while path := os.read(here, 4096):
            os.write(there, b"1" if reads_secret(path.decode(), 0.03) else b"0")
        os._exit(0)

    def begin(self, path):
        os.write(self.requests, path.encode())

    def has_read(self):
        return os.read(self.answers, 1) == b"1"

    def end(self):
        os.close(self.requests)
        os.waitpid(self.pid, 0)


def close_and_write(number, outsider, is_deep, is_known):
    """Returns whether the outsider has read content that was written after the outsider lost access."""
    closed = f"race/{number}"
    place = f"{closed}/deep" if is_deep else closed
    os.makedirs(f"low/{place}")
    if is_known:
        write(f"low/{place}/key", "public")
    while not os.path.exists(f"mnt/{place}") or (is_known and not os.path.exists(f"mnt/{place}/key")):
        pass
    write("new", "secret")
    os.chmod(f"low/{closed}", 0o700)
    os.rename("new", f"low/{place}/key")
    outsider.begin(f"mnt/{place}/key")
    # A user who may read it does so: at once if no program had looked it up, otherwise when it is published.
    if not is_known:
        with open(f"mnt/{place}/key") as file:
            assert file.read() == "secret"
    elif not reads_secret(f"mnt/{place}/key", 60):
        raise RuntimeError(f"{place}/key does not come")
    return outsider.has_read()


def remove_and_open(number, outsider, is_replaced):
    """Returns whether the outsider has read content that was removed before the outsider got access."""
    place = f"race/open{number}"
    os.mkdir(f"low/{place}", 0o700)
    write(f"low/{place}/key", "secret")
    while not reads_secret(f"mnt/{place}/key", 1):
        pass
    write("new", "public")
    outsider.begin(f"mnt/{place}/key")
    if is_replaced:
        os.rename("new", f"low/{place}/key")
    else:
        os.unlink(f"low/{place}/key")
    os.chmod(f"low/{place}", 0o755)
    return outsider.has_read()


def race():
    """The outsider reads nothing that was written after the loss of access, or removed before access was given."""
    outsider = Outsider()
    kinds = itertools.product((False, True), (False, True))
    leaks = {kind: 0 for kind in kinds}
    for number in range(200):
        kind = (number % 2 == 1, number % 4 > 1)
        leaks[kind] += close_and_write(number, outsider, *kind)
    opened = sum(remove_and_open(number, outsider, number % 2 == 1) for number in range(60))
    outsider.end()
    if opened:
        print(f"{opened} of 60 files were read that were taken away before", flush=True)
    for (is_deep, is_known), count in leaks.items():
        if count:
            print(f"{count} of 50 files were read, is_deep={is_deep} is_known={is_known}", flush=True)
    return 1 if opened or any(leaks.values()) else 0


if __name__ == "__main__":
    sys.exit({"make": make, "check": lambda: check(USERS, judge_all), "race": race}[sys.argv[1]]())
