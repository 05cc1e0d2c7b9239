#!/usr/bin/env python3
"""Renders while one change of the disk fails, and checks that nothing is lost or stays as it was.

    failing.py PLYFS LIBRARY STEP

As killed.py, but the n-th change fails, with EIO or ENOSPC, instead of being the last. A single run leaves each
name right or as it was before, and the next run makes all right. `plyfs render --watch` must mend it by itself.
Its layer is another one when it starts, and another one again when that shows. Neither may take a fault for drift.
"""
import errno
import itertools
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from killed import BASE, OUT, TURNS, Trial, make_layers  # noqa: E402

ERRORS = [errno.EIO, errno.ENOSPC]
LONGEST = 60  # seconds until it has tried again


class Failure(Trial):
    def begin(self, turn, number):
        """Returns the environment."""
        self.error = ERRORS[number % len(ERRORS)]
        self.where = f"turn {turn}, change {1 + turn + number * self.step} fails with {errno.errorcode[self.error]}"
        self.fresh()
        return {**os.environ, "LD_PRELOAD": self.library, "DYING": str(1 + turn + number * self.step), "DYING_ERRNO": str(self.error)}

    def judge(self, said):
        """Whether a change has failed at all, and no drift is reported."""
        self.where += ", " + said
        if "another program" in said or "in the way" in said or "never did" in said:
            self.fail("it says what is not so")
        return "dying: " in said

    def look_between(self, turn):
        """Files that were there and must be there stay, as they were or as they must be."""
        was, wanted, found = self.shown(f"layer{turn}"), self.shown(f"layer{turn + 1}"), self.found()
        for path in was.keys() & wanted.keys():
            is_same_kind = was[path]["kind"] == wanted[path]["kind"] and "target" not in was[path]
            if is_same_kind and found.get(path) not in (was[path], wanted[path]):
                self.fail(f"{path} is {found.get(path)}, and neither {was[path]} nor {wanted[path]}")

    def try_once(self, turn, number):
        env = self.begin(turn, number)
        ended = subprocess.run([*self.command, "-l", f"layer{turn + 1}", OUT], env=env, capture_output=True, text=True, check=False)
        if not self.judge(ended.stderr):
            return False
        self.tried += 1
        self.look_between(turn)
        self.render(turn + 1)
        self.look(self.shown(f"layer{turn + 1}"))
        return True

    def comes_right(self, wanted, process):
        """Whether it starts, and does not end if it could not start."""
        until, found = time.monotonic() + LONGEST, None
        while found != wanted and time.monotonic() < until and process.poll() is None:
            time.sleep(0.02)
            try:
                found = self.found()
            except OSError:
                continue  # it has gone since it was listed
        if process.poll() == 1:
            return False
        for path in sorted(wanted.keys() | found.keys()):
            if found.get(path) != wanted.get(path):
                process.terminate()
                self.fail(f"{path} stays {found.get(path)}, and is not {wanted.get(path)}: {process.communicate()[1]}")
        return True

    def try_watching(self, turn, number):
        env = self.begin(turn, number)
        first, second = f"layer{turn + 1}", f"layer{turn + 2}"
        os.rename(first, "live")
        with subprocess.Popen([*self.command, "--watch", "-l", "live", OUT], env=env, stderr=subprocess.PIPE, text=True) as process:
            wanted = self.shown("live")
            has_begun = self.comes_right(wanted, process)
            os.rename("live", first)
            os.rename(second, "live")
            if has_begun:
                wanted = self.shown("live")
                self.comes_right(wanted, process)
                process.terminate()
            said = process.communicate()[1]
        os.rename("live", second)
        has_failed = self.judge(said)
        if process.returncode != (0 if has_begun else 1):
            self.fail(f"it ends with {process.returncode}")
        if not has_begun:
            self.render(turn + 1)
        self.look(wanted)
        self.tried += has_failed
        return has_failed

    def run(self):
        for turn in range(TURNS):
            self.where = f"turn {turn}"
            shutil.rmtree(OUT, ignore_errors=True)
            self.render(turn)
            shutil.rmtree(BASE, ignore_errors=True)
            os.rename(OUT, BASE)
            for attempt in self.try_once, self.try_watching:
                before = self.tried
                for number in itertools.count():
                    if not attempt(turn, number):
                        break
                print(f"{' '.join(self.command[2:])}, turn {turn}, {attempt.__name__}: {self.tried - before} failures", flush=True)


def main():
    plyfs, library, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
    make_layers()
    for kind in [], ["--atomic"]:
        Failure(plyfs, library, step, kind).run()


main()
