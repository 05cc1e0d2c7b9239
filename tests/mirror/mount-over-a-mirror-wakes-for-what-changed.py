#!/usr/bin/env python3
"""A mirror is a layer. In a mount over it each changed path changes once, and no other path does; this holds for one
key and for a transaction."""
import os
import subprocess
import sys

import stores

stores.need_etcd()
stores.need("inotifywait")
if not os.path.exists("/dev/fuse") or b"without FUSE" in subprocess.run(
        [stores.PLYFS, "help", "mount"], capture_output=True, check=False).stdout:
    stores.skip("nothing can be mounted here")
cluster = stores.Cluster(size=1).start()
gateway = stores.Gateway(cluster)
gateway.write({f"k{i}.yaml": f"v: {i}\n" for i in range(10)})
gateway.write({f"sub/k{i}.yaml": f"v: {i}\n" for i in range(10)})
mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", stores.PREFIX).start()
mirror.equals(cluster)
os.mkdir(stores.path("low"))
for i in range(10):
    with open(stores.path(f"low/k{i}.yaml"), "w", encoding="utf-8") as file:
        file.write(f"low: {i}\n")
mount = stores.path("mnt")
os.mkdir(mount)
log = open(stores.path("mount.log"), "wb")
plyfs = stores.spawn([stores.PLYFS, "mount", "-f", "-o", "noheader", f"{stores.path('low')}:{mirror.directory}", mount],
                     stdout=log, stderr=log)
stores.ENDINGS.append(lambda: subprocess.run(["umount", "-l", mount], capture_output=True, check=False))
stores.eventually("it is mounted", lambda: os.path.exists(f"{mount}/k1.yaml"))


def read(name):
    try:
        with open(f"{mount}/{name}", encoding="utf-8") as merged:
            return merged.read()
    except FileNotFoundError:
        return None


def shows(name, text):
    stores.eventually(f"{name} shows {text}", lambda: read(name) == text or read(name))


names = [f"k{i}.yaml" for i in range(10)] + [f"sub/k{i}.yaml" for i in range(10)]
for name in names:
    read(name)
watched = open(stores.path("events"), "wb")
told = open(stores.path("watcher"), "wb")
watcher = stores.spawn(["inotifywait", "-mr", "--format", "%w%f %e", mount], stdout=watched, stderr=told)
stores.eventually("it is watched", lambda: "Watches established" in open(stores.path("watcher"), encoding="utf-8").read())
inodes = {name: os.stat(f"{mount}/{name}").st_ino for name in names}

cluster.put("k1.yaml", "v: one\n")
shows("k1.yaml", "low: 1\nv: one\n")
gateway.write({"k2.yaml": "v: two\n", "sub/k3.yaml": "v: three\n"})
shows("k2.yaml", "low: 2\nv: two\n")
shows("sub/k3.yaml", "v: three\n")
gateway.write({"sub/new.yaml": "v: new\n"}, ["k4.yaml"])
shows("sub/new.yaml", "v: new\n")
shows("k4.yaml", "low: 4\n")


def moved():
    with open(stores.path("events"), encoding="utf-8") as file:
        return [line.split()[0][len(mount) + 1:] for line in file if "MOVED_TO" in line and line.endswith("\n")]


changed = {"k1.yaml", "k2.yaml", "sub/k3.yaml", "k4.yaml"}
# A change shows before its event comes.
stores.eventually("each change has an event", lambda: set(moved()) >= changed | {"sub/new.yaml"} or moved())
stores.time.sleep(1)
watcher.kill()
watcher.wait()
for name in names:
    if (os.stat(f"{mount}/{name}").st_ino != inodes[name]) != (name in changed):
        sys.exit(f"failed: {name} was {'not ' if name in changed else ''}published")
if sorted(moved()) != sorted(changed | {"sub/new.yaml"}):
    sys.exit(f"failed: the events were {moved()}")
stores.eventually("it is unmounted", lambda: subprocess.run(["umount", mount], check=False).returncode == 0)
plyfs.wait()
