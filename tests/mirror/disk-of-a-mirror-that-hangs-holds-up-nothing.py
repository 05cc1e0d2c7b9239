#!/usr/bin/env python3
"""If the disk with a mirror's state hangs, the mount answers and ends, and the mirror that was being started holds
nothing of the daemon's: the mount of a killed daemon is dead at once."""
import os
import signal
import subprocess
import time

import stores
from stores import expect

stores.need("git")
stores.need("fsfreeze")
stores.need("mkfs.ext4")
if os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
    stores.skip("only root can freeze a file system, and mount")
os.chmod(stores.DIRECTORY, 0o755)
DISK, TREE, LOG = stores.path("disk"), stores.path("tree"), stores.path("log")


def run(*words, check=True, timeout=60):
    return subprocess.run(words, check=check, capture_output=True, text=True, timeout=timeout)


def quietly(*words):
    run(*words, check=False)


for name in ("disk", "tree", "low", "work"):
    os.makedirs(stores.path(name))
run("truncate", "-s", "64M", stores.path("image"))
run("mkfs.ext4", "-q", stores.path("image"))
if run("mount", "-o", "loop", stores.path("image"), DISK, check=False).returncode != 0:
    stores.skip("no loop device can be mounted here")
stores.ENDINGS.append(lambda: quietly("umount", "-l", DISK))
stores.ENDINGS.append(lambda: quietly("fsfreeze", "-u", DISK))
stores.ENDINGS.append(lambda: quietly("umount", "-l", TREE))


def write(name, text):
    with open(stores.path(name), "w", encoding="utf-8") as file:
        file.write(text)


def read():
    return run("cat", f"{TREE}/app.yaml", check=False, timeout=60)


def commit():
    for words in (["init", "-q", "-b", "main"], ["add", "-A"],
                  ["-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "-m", "x"]):
        run("git", "-C", stores.path("work"), *words)
    run("chown", "-R", "nobody", stores.path("work"))


def kill_mirror(daemon):
    """Freezes the disk, and kills the mirror. Returns the children of before."""
    for _ in range(20):
        # The second mount shows the state of the first, and may do so before its own mirror runs.
        stores.eventually("the mirror runs", lambda: "plyfs-mirror" in (name for name, _ in children(daemon.pid).values())
                          or children(daemon.pid))
        before = children(daemon.pid)
        mirror = next(pid for pid, (name, _) in before.items() if name == "plyfs-mirror")
        time.sleep(1)
        run("fsfreeze", "-f", DISK)
        os.kill(mirror, signal.SIGKILL)
        until = time.monotonic() + 10
        while mirror in children(daemon.pid) and time.monotonic() < until:
            time.sleep(0.02)
        if mirror not in children(daemon.pid):
            return before
        # While it writes, it can't be killed.
        run("fsfreeze", "-u", DISK)
        stores.eventually("it has ended", lambda: mirror not in children(daemon.pid))  # pylint: disable=cell-var-from-loop
    stores.sys.exit("failed: the mirror writes all the time")


def begin():
    """Starts a mount, and kills its mirror while the disk is frozen. Returns it, and the next mirror."""
    daemon = stores.spawn([stores.PLYFS, "mount", "-f", "-o", "noheader", "-c", stores.path("plyfs.yaml"), TREE],
                          stdout=open(LOG, "wb"), stderr=subprocess.STDOUT)
    stores.eventually("it is mounted", lambda: read().stdout.endswith("log: git\n") or open(LOG, encoding="utf-8").read())
    before = kill_mirror(daemon)
    hung = {}

    def hangs():
        hung.clear()
        hung.update({pid: kind for pid, kind in children(daemon.pid).items()
                     if pid not in before and kind[1] == "D" and "worker" not in kind[0]})
        return len(hung) == 1 or children(daemon.pid)

    stores.eventually("the next mirror hangs", hangs)
    return daemon, next(iter(hung))


def children(pid):
    """Returns {pid: (name, state)}."""
    found = {}
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        for child in file.read().split():
            try:
                with open(f"/proc/{child}/stat", encoding="utf-8") as stat:
                    name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
                found[int(child)] = (name, rest.split()[0])
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


write("low/app.yaml", "port: 80\n")
write("work/app.yaml", "log: git\n")
commit()
write("plyfs.yaml", f"layers: [low, {{name: fleet, git: {{url: work, state: {DISK}/state, user: nobody}}}}]\n")

# It answers and publishes while the disk hangs, and ends.
daemon, _ = begin()
write("low/app.yaml", "port: 81\n")
stores.eventually("a change shows", lambda: read().stdout == "port: 81\nlog: git\n" or read())
began = time.monotonic()
run("umount", TREE)
expect("it ends well", daemon.wait(60) == 0)
expect("it does not wait for the disk", time.monotonic() - began < 30, time.monotonic() - began)
run("fsfreeze", "-u", DISK)

# The mirror's process has no /dev/fuse: the killed daemon's mount is dead.
daemon, mirror = begin()
daemon.kill()
daemon.wait()
expect("the mount is dead", "not connected" in read().stderr, read())
run("fsfreeze", "-u", DISK)
stores.eventually("no mirror is left", lambda: not os.path.exists(f"/proc/{mirror}/fd/0") or mirror)
