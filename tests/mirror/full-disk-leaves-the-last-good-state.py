#!/usr/bin/env python3
"""If a state has no room on the disk, that is an error and the last state stays. When there is room again, the new
state comes."""
import os
import subprocess
import sys

import stores

stores.need_etcd()
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
gateway.write({"k1": "fits"})
mirror.hup()
mirror.equals(cluster)
mirror.is_well()
