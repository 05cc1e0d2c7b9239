#!/usr/bin/env python3
"""A deploy switches the link that is a layer, and removes the old release while a command reads it."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from holder import start_and_stop  # pylint: disable=wrong-import-position

PLYFS = os.environ["PLYFS"]


def switch(release):
    os.symlink(f"releases/{release}", "new")
    os.rename("new", "current")


def deploy():
    shutil.rmtree("releases", ignore_errors=True)
    for release in "12":
        os.makedirs(f"releases/{release}/sub")
        for number in range(200):
            for name in (f"{number}.yaml", f"sub/{number}.yaml"):
                with open(f"releases/{release}/{name}", "w", encoding="utf-8") as file:
                    file.write(f"a: {release}\n")
    switch(1)


def run_in_deploy(words, whole):
    """
    Runs the command, and stops it when it has opened the layer. `whole`: the removal is complete. Returns the exit code
    and the output, or None if the command ended before it could be stopped.
    """
    deploy()
    command, reader = start_and_stop([PLYFS, *words], lambda target, _: "releases/1" in target, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True)
    if reader:
        switch(2)
        shutil.rmtree("releases/1" if whole else "releases/1/sub")
        os.kill(reader, signal.SIGCONT)
    out = command.communicate(timeout=120)[0]
    return (command.returncode, out) if reader else None


def expect_error(words, is_right, whole=True):
    """Expects the error; of a command that was stopped too late, what is right without the deploy."""
    for _ in range(50):
        result = run_in_deploy(words, whole)
        if result and result[0] == 1 and all(part in result[1] for part in ("current", "the layer was replaced")):
            return result[1]
        assert not result or (result[0] == 0 and is_right(result[1])), (words, whole, result)
    raise AssertionError(f"it was never stopped in time: {words}")


def files(directory):
    top = os.path.realpath(f"{directory}/..data") if os.path.lexists(f"{directory}/..data") else directory
    found = {}
    for place, names, leaves in os.walk(top):
        names[:] = [name for name in names if name != ".plyfs"]
        for leaf in leaves:
            with open(f"{place}/{leaf}", encoding="utf-8") as file:
                found[os.path.relpath(f"{place}/{leaf}", top)] = file.read()
    return found


with tempfile.TemporaryDirectory() as root:
    os.chdir(root)
    for options in ([], ["--atomic"]):
        made = f"made{len(options)}"
        words = ["render", "-q", "--no-header", *options, "-l", "current", made]
        deploy()
        subprocess.run([PLYFS, *words], check=True)
        good = files(made)
        assert len(good) == 400, len(good)
        for whole in (True, False):
            expect_error(words, lambda out: files(made) == good, whole)
            assert files(made) == good, (options, whole)
        subprocess.run([PLYFS, *words], check=True)
        assert set(files(made).values()) == {"a: 2\n"}
    assert not expect_error(["check", "-l", "current"], lambda out: "400 files: all merge" in out).endswith("all merge\n")
    for words in (["explain", "-l", "current", "sub/7.yaml"], ["get", "-l", "current", "sub/7.yaml", "a"],
                  ["cat", "-l", "current", "sub/7.yaml"], ["diff", "-l", "current", "sub/7.yaml"]):
        expect_error(words, lambda out: "1" in out)
    # These files of the old release can still be read.
    for options in ([], ["--json"]):
        words = ["cat", "--sources", *options, "-l", "current", "7.yaml"]
        expect_error(words, lambda out: "1" in out, whole=False)
