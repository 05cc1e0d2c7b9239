#!/usr/bin/env python3
"""A mirror, and the git that it runs, write the mirror's state and turn the link beside it. Landlock keeps them from
all else. This test plays a git that was taken over: it can write nowhere, unless there is no sandbox."""
import os
import shutil
import signal
import subprocess
import sys

import stores

stores.need("git")
work, tools, elsewhere = stores.path("work"), stores.path("tools"), stores.path("elsewhere")
environment = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="a",
                   GIT_AUTHOR_EMAIL="a@localhost", GIT_COMMITTER_NAME="c", GIT_COMMITTER_EMAIL="c@localhost",
                   HOME=stores.DIRECTORY)
os.environ.update(environment)
for directory in (work, tools, elsewhere):
    os.makedirs(directory)
with open(os.path.join(work, "app.yaml"), "w", encoding="utf-8") as file:
    file.write("a: 1\n")
for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
    subprocess.run(["git", *words], cwd=work, check=True)
with open(os.path.join(elsewhere, "old"), "w", encoding="utf-8") as file:
    file.write("old\n")
with open(os.path.join(tools, "git"), "w", encoding="utf-8") as file:
    file.write(f"""#!/bin/sh
{{ echo x >{elsewhere}/made; }} 2>/dev/null
{{ echo x >>{elsewhere}/old; }} 2>/dev/null
mkdir {elsewhere}/directory 2>/dev/null
exec {shutil.which("git")} "$@"
""")
os.chmod(os.path.join(tools, "git"), 0o755)
os.environ["PATH"] = tools + ":" + os.environ["PATH"]


def runs(name, *options):
    """Returns the files elsewhere after a mirror has had its first state."""
    mirror = stores.Mirror("git", *options, "--interval", "86400", work, name=name).start()
    stores.eventually("the files are there", lambda: mirror.files() == {b"app.yaml": b"a: 1\n"} or
                      open(mirror.log, encoding="utf-8").read())
    no_new_privs = [line.split()[1] for line in open(f"/proc/{mirror.process.pid}/status", encoding="utf-8")
                    if line.startswith("NoNewPrivs:")]
    told = mirror.status()["sandbox"]
    if f"sandbox     Landlock {told['landlock']}" not in subprocess.check_output(
            [stores.PLYFS, "mirror", "status", mirror.directory], text=True):
        sys.exit("failed: its status says nothing of the sandbox")
    mirror.kill(signal.SIGTERM)
    with open(os.path.join(elsewhere, "old"), encoding="utf-8") as old:
        return sorted(os.listdir(elsewhere)), old.read(), no_new_privs, told


names, old, no_new_privs, told = runs("kept")
if no_new_privs != ["1"]:
    sys.exit(f"failed: it may gain rights: {no_new_privs}")
if told["landlock"] != "on":
    stores.skip("there is no Landlock here")
if (names, old) != (["old"], "old\n"):
    sys.exit(f"failed: git has written {names}: {old}")
names, old, _, told = runs("free", "--no-sandbox")
if names != ["directory", "made", "old"] or old == "old\n":
    sys.exit(f"failed: without the sandbox git has written {names} alone: {old}")
if told["landlock"] != "off" or told["no_new_privs"]:
    sys.exit(f"failed: without the sandbox it is told: {told}")
