#!/usr/bin/env python3
"""A command that takes its time reads the state of a mirror that it began with, whatever the store gets meanwhile."""
import os
import signal
import subprocess
import time

import stores
from stores import expect

FILES = 100
stores.need_etcd()
cluster = stores.Cluster(size=1).start()
gateway = stores.Gateway(cluster)


def write(number):
    gateway.write({f"{at:02}.yaml": f"state: {number}\n" for at in range(FILES)})


def reader_of(pid):
    """Returns the process that holds the tree: the command, or the one that it watches; 0: none yet."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as children:
        pids = [pid, *map(int, children.read().split())]
    for each in pids:
        try:
            for fd in os.listdir(f"/proc/{each}/fd"):
                with open(f"/proc/{each}/fdinfo/{fd}", encoding="utf-8") as info:
                    if "/.fleet.mirror/tree." in os.readlink(f"/proc/{each}/fd/{fd}") and "lock:" in info.read():
                        return each
        except (FileNotFoundError, ProcessLookupError):
            pass
    return 0


def states(directory):
    return {open(f"{directory}/{name}", encoding="utf-8").read() for name in os.listdir(directory) if not name.startswith(".")}


write(1)
mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", "/fleet").start()
mirror.equals(cluster)
made = stores.path("made")
words = [stores.PLYFS, "render", "-q", "--no-header", "-l", mirror.directory, made]


def stop_a_reader():
    """Starts the command, again if it was too fast. Returns it, and its process that is stopped with the tree in hand."""
    for _ in range(50):
        command = subprocess.Popen(words)  # pylint: disable=consider-using-with
        holder = 0
        while command.poll() is None and not holder:
            holder = reader_of(command.pid)
        try:
            if holder:
                os.kill(holder, signal.SIGSTOP)
                return command, holder
        except ProcessLookupError:
            pass
        command.wait()
    return None, 0


render, reader = stop_a_reader()
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
end = time.monotonic() + 10
while (trees := [name for name in os.listdir(stores.path(".fleet.mirror")) if name.startswith("tree.")]) != ["tree.7"]:
    if time.monotonic() > end:
        break
    time.sleep(0.02)
expect("what nobody reads is gone", len(trees) == 1, trees)
expect("the next command", subprocess.run(words, check=False).returncode == 0)
expect("reads the present state", states(made) == {"state: 7\n"}, states(made))
mirror.kill()
cluster.kill()
