#!/usr/bin/env python3
"""A command that takes its time reads the state of a mirror that it began with, whatever the store gets meanwhile."""
import os
import signal
import subprocess
import sys
import time

import stores
from stores import expect

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from holder import start_and_stop  # pylint: disable=wrong-import-position

FILES = 100
stores.need_etcd()
cluster = stores.Cluster(size=1).start()
gateway = stores.Gateway(cluster)


def write(number):
    gateway.write({f"{at:02}.yaml": f"state: {number}\n" for at in range(FILES)})


def states(directory):
    return {open(f"{directory}/{name}", encoding="utf-8").read() for name in os.listdir(directory) if not name.startswith(".")}


write(1)
mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", "/fleet").start()
mirror.equals(cluster)
made = stores.path("made")
words = [stores.PLYFS, "render", "-q", "--no-header", "-l", mirror.directory, made]
# A command that is too fast is started again.
for attempt in range(50):
    render, reader = start_and_stop(words, lambda target, info: "/.fleet.mirror/tree." in target and "lock:" in info)
    if reader:
        break
    render.wait()
expect("it is stopped while it reads", reader)
try:
    for number in range(2, 7):
        write(number)
        mirror.equals(cluster)
finally:
    os.kill(reader, signal.SIGCONT)
expect("it succeeds", render.wait(timeout=120) == 0)
expect("it is whole", len(os.listdir(made)) >= FILES, os.listdir(made))
expect("it is one state", len(states(made)) == 1, states(made))
write(7)
mirror.equals(cluster)
# The mirror removes it after it has switched the link.
end = time.monotonic() + 60
while (trees := [name for name in os.listdir(stores.path(".fleet.mirror")) if name.startswith("tree.")]) != ["tree.7"]:
    if time.monotonic() > end:
        break
    time.sleep(0.02)
expect("what nobody reads is gone", len(trees) == 1, trees)
expect("the next command", subprocess.run(words, check=False).returncode == 0)
expect("reads the present state", states(made) == {"state: 7\n"}, states(made))
mirror.kill()
cluster.kill()
