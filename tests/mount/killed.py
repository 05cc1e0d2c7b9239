#!/usr/bin/env python3
"""Renders with a death before each change of the disk, and checks that the next start recognises its own work.

    killed.py PLYFS LIBRARY STEP

LIBRARY is that of dying.c. In the layers each name becomes something else, in each of all pairs of kinds. From one
layer to the next plyfs is started with --drift=keep, and --atomic or not. It dies before the n-th change, n = 1, 1
+ STEP … (2, 2 + STEP … between the next two layers), until it no longer dies. The next run must end right and take
none of plyfs' own work for drift: also if the layer is another one by then, and if the run dies once more on the
way.
"""
import itertools
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(__file__), "../chaos"))
import trees  # noqa: E402

DIED = 99
OUT, BASE = "killed", "base"
TURNS = 2


def write(path, text, mode=0o644, owner=0):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    give(path, owner)


def give(path, owner):
    if os.geteuid() == 0:
        os.lchown(path, owner, owner)


def directory(path, mode=0o755, owner=0):
    os.makedirs(f"{path}/sub")
    for name in ("a", "b", "sub/c"):
        write(f"{path}/{name}", "in it\n")
    os.chmod(path, mode)
    give(path, owner)


KINDS = [
    lambda path: None,
    lambda path: write(path, "one\n"),
    lambda path: write(path, "another\n"),
    lambda path: write(path, "one\n", 0o600, 1),
    lambda path: os.symlink("nowhere", path),
    directory,
    lambda path: directory(path, 0o750, 1),
]
PAIRS = list(itertools.permutations(range(len(KINDS)), 2))


def make_layers():
    """Each name goes through all of the kinds, by steps of its own."""
    for turn in range(TURNS + 2):
        os.mkdir(f"layer{turn}")
        for first, second in PAIRS:
            KINDS[(first + turn * (second - first)) % len(KINDS)](f"layer{turn}/{first}-{second}")
    time.sleep(3)  # a source that was just written is not yet trusted to be whole


class Trial:
    def __init__(self, plyfs, library, step, options):
        self.command = [plyfs, "render", "--drift=keep", "--no-header", *options]
        self.library, self.step = library, step
        self.is_atomic = "--atomic" in options
        self.tried = 0

    def fail(self, text):
        sys.exit(f"failed: {self.where}: {text}")

    def render(self, turn, death=0, is_torn=False):
        """Renders the layer of that turn. Returns whether the run died."""
        env = dict(os.environ)
        if death:
            env.update({"LD_PRELOAD": self.library, "DYING": str(death)}, **({"DYING_TORN": "1"} if is_torn else {}))
        ended = subprocess.run([*self.command, "-l", f"layer{turn}", OUT], env=env, capture_output=True, text=True, check=False)
        if ended.returncode not in (0, DIED) or ended.stderr:
            self.fail(f"it ended with {ended.returncode}, and says: {ended.stderr}")
        return ended.returncode == DIED

    def shown(self, top):
        found = trees.read(top, False)
        for facts in found.values():
            # No other process writes to the tree.
            if isinstance(facts, dict) and "mode" in facts:
                facts["mode"] &= ~0o222
        return found

    def found(self):
        return self.shown(f"{OUT}/..data" if self.is_atomic else OUT)

    def look(self, wanted):
        """All is as it is wanted, and there is nothing else."""
        found = self.found()
        for path in sorted(wanted.keys() | found.keys()):
            if wanted.get(path) != found.get(path):
                self.fail(f"{path} is {found.get(path)}, and not {wanted.get(path)}")
        if self.is_atomic:
            names = {".plyfs", "..data", os.readlink(f"{OUT}/..data"), *(path for path in wanted if "/" not in path)}
            if set(os.listdir(OUT)) != names:
                self.fail(f"beside it are {set(os.listdir(OUT)) ^ names}")
        left = set(os.listdir(f"{OUT}/.plyfs")) - {"bases", "boot", "manifest", "status", "stage"} | set(os.listdir(f"{OUT}/.plyfs/stage"))
        if left:
            self.fail(f"in its own directory are {left}")

    def fresh(self):
        shutil.rmtree(OUT, ignore_errors=True)
        subprocess.run(["cp", "-a", BASE, OUT], check=True)

    def try_death(self, turn, death, is_torn, is_same):
        """Returns whether any run died. If one did, another death comes in each second trial."""
        self.where = f"turn {turn}, death {death}{', torn' if is_torn else ''}{'' if is_same else ', another layer'}"
        self.fresh()
        if not self.render(turn + 1, death, is_torn):
            return False
        self.tried += 1
        end = turn + 1 if is_same else turn + 2
        if not is_same:
            self.render(end, death * 7 % 97 + 1)
        self.render(end)
        self.look(self.shown(f"layer{end}"))
        return True

    def run(self):
        for turn in range(TURNS):
            self.where = f"turn {turn}"
            shutil.rmtree(OUT, ignore_errors=True)
            self.render(turn)
            self.look(self.shown(f"layer{turn}"))
            shutil.rmtree(BASE, ignore_errors=True)
            os.rename(OUT, BASE)
            for number in itertools.count():
                if not self.try_death(turn, 1 + turn + number * self.step, number % 2 == 1, number // 2 % 2 == 0):
                    break
            print(f"{' '.join(self.command[2:])}, turn {turn}: {self.tried} deaths", flush=True)


def main():
    plyfs, library, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
    make_layers()
    for kind in [], ["--atomic"]:
        Trial(plyfs, library, step, kind).run()


if __name__ == "__main__":
    main()
