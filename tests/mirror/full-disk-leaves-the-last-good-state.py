#!/usr/bin/env python3
"""If a state has no room on the disk, that is an error and the last state stays. When there is room again, the new
state comes."""
import os
import subprocess
import sys

import stores

stores.need_etcd()
stores.need("git")
disk = stores.path("disk")
os.mkdir(disk)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk], check=False).returncode:
    stores.skip("nothing can be mounted here")
stores.ENDINGS.append(lambda: subprocess.run(["umount", "-l", disk], check=False))
cluster = stores.Cluster(size=1).start()
gateway = stores.Gateway(cluster)
gateway.write({f"k{i}": f"{i}" * 1000 for i in range(10)})
mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", stores.PREFIX, directory=disk).start()
mirror.equals(cluster)
good = mirror.files()

# A transaction of which only a part would fit.
gateway.write({f"k{i}": "x" * 200000 for i in range(7)})
stores.eventually("the trouble is told", lambda: "No space left" in open(mirror.log, encoding="utf-8").read())
for _ in range(20):
    if mirror.files() != good:
        sys.exit(f"failed: not what there was: {mirror.files()}")
    stores.time.sleep(0.05)
mirror.kill()
mirror.start()
stores.time.sleep(1)
if mirror.files() != good:
    sys.exit(f"failed: not what there was, after a start: {mirror.files()}")

# One key that does not fit, and then room for all.
gateway.write({f"k{i}": "x" * 20000 for i in range(7)})
mirror.hup()
mirror.equals(cluster)
mirror.is_well()
gateway.write({"k1": "x" * 1200000})
mirror.has_trouble("disk")
# The store has answered, though there is no room for what it said.
cluster.kill()
mirror.hup()
mirror.has_trouble("store")
cluster.start()
mirror.hup()
stores.eventually("only the disk has a trouble", lambda: list(mirror.troubles()) == ["disk"] or mirror.troubles())
gateway = stores.Gateway(cluster)
gateway.write({"k1": "fits"})
mirror.hup()
mirror.equals(cluster)
mirror.is_well()
mirror.kill()

# The same with git, which has room for its objects.
work = stores.path("work")


def git(*words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *words], check=True)


def commit(text):
    with open(f"{work}/app.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    git("-C", work, "add", "app.yaml")
    git("-C", work, "commit", "-qm", "x")


git("init", "-q", "-b", "main", work)
commit("a: 1\n")
mirror = stores.Mirror("git", "--ref", "main", work, name="git", directory=disk).start()
stores.eventually("the commit is there", lambda: bool(mirror.status().get("revision")) or mirror.troubles())
commit("x" * 1200000)
os.rename(work, work + ".away")
mirror.hup()
mirror.has_trouble("store")
os.rename(work + ".away", work)
mirror.hup()
mirror.has_trouble("disk")
stores.eventually("only the disk has a trouble", lambda: list(mirror.troubles()) == ["disk"] or mirror.troubles())
mirror.kill()

# While there is nothing new, a full disk is no trouble; what is new has no room, which the message names.
commit("a: 3\n")
mirror = stores.Mirror("git", "--ref", "main", "--interval", "1", work, name="filled", directory=disk).start()
stores.eventually("the commit is there", lambda: bool(mirror.status().get("revision")) or mirror.troubles())
until = stores.time.monotonic() + 4
with open(f"{disk}/filler", "wb", buffering=0) as filler:
    # Also takes what the mirror gives back meanwhile.
    while stores.time.monotonic() < until:
        try:
            filler.write(bytes(4096))
        except OSError:
            stores.time.sleep(0.0001)
said = open(mirror.log, encoding="utf-8").read()
if "git fails" in said or "rev-parse" in said:
    sys.exit(f"failed: no look fails: {said}")
commit("a: 4\n")
# git says it, or plyfs if git has found the little room that it needs.
stores.eventually("the trouble is told", lambda: any(word in open(mirror.log, encoding="utf-8").read() for word in (
    "the disk is full; make room", "disk: ")) or open(mirror.log, encoding="utf-8").read())
os.unlink(f"{disk}/filler")
mirror.hup()
stores.eventually("the commit is there", lambda: mirror.files() == {b"app.yaml": b"a: 4\n"} or mirror.troubles())
mirror.is_well()
