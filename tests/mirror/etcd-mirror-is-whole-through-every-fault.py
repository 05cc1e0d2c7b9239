#!/usr/bin/env python3
"""Whatever happens to the members, the network or the mirror: what is read is one revision's state, and
in the end it is what etcdctl says."""
import random
import signal
import sys
import time

import stores

stores.need_etcd()
cluster = stores.Cluster().start()
proxies = [stores.Proxy(member.client) for member in cluster.members]
endpoints = ",".join(f"http://127.0.0.1:{proxy.port}" for proxy in proxies)
writer = stores.Writer(cluster)
writer.write_once()
mirror = stores.Mirror("etcd", "--endpoints", endpoints, "--prefix", stores.PREFIX).start()
mirror.equals(cluster)
reader = stores.Reader(mirror.directory)
reader.start()
writer.start()
LENGTH = 30 if stores.IS_LONG else 1.5


def quietly(what):
    """The writer stops, all becomes equal, and the writer goes on."""
    global writer
    writer.end()
    cluster.wait()
    mirror.equals(cluster)
    mirror.is_well()
    if reader.half is not None:
        sys.exit(f"failed: half a transaction was read: {what}")
    print(f"{what}: {writer.count} transactions, {reader.good} readings", flush=True)
    again = stores.Writer(cluster)
    again.values, again.count = writer.values, writer.count
    writer = again
    writer.start()


def leader_is_killed():
    leader = cluster.leader()
    leader.kill()
    time.sleep(LENGTH)
    leader.start()


def all_stand_still():
    cluster.signal(signal.SIGSTOP)
    time.sleep(LENGTH * 4)
    cluster.signal(signal.SIGCONT)


def one_stands_still():
    """The one that the mirror is connected to: only that it is silent tells it."""
    endpoint = mirror.status()["endpoint"]
    member = cluster.members[[f"http://127.0.0.1:{proxy.port}" for proxy in proxies].index(endpoint)]
    member.process.send_signal(signal.SIGSTOP)
    stores.eventually("another endpoint is used", lambda: mirror.status()["endpoint"] != endpoint or mirror.status())
    member.process.send_signal(signal.SIGCONT)


def all_are_killed():
    cluster.kill()
    time.sleep(LENGTH)
    mirror.has_trouble("store")
    for member in cluster.members:
        member.start()


def compaction_while_away():
    mirror.process.send_signal(signal.SIGSTOP)
    for proxy in proxies:
        proxy.cut()
        proxy.cut(1)
    time.sleep(LENGTH)
    cluster.run("compact", str(cluster.revision()))
    for proxy in proxies:
        proxy.mend()
    mirror.process.send_signal(signal.SIGCONT)


def network_is_cut():
    until = time.monotonic() + LENGTH * 2
    while time.monotonic() < until:
        for proxy in proxies:
            proxy.cut(random.randint(1, 3000))
        time.sleep(0.1)
        for proxy in proxies:
            proxy.mend()
        time.sleep(0.2)


def mirror_is_killed():
    until = time.monotonic() + LENGTH * 3
    while time.monotonic() < until:
        time.sleep(random.random() * 0.3)
        mirror.kill()
        mirror.start()


quietly("nothing happens")
for fault in (leader_is_killed, all_stand_still, one_stands_still, all_are_killed, compaction_while_away,
              network_is_cut, mirror_is_killed):
    time.sleep(0.3)
    fault()
    quietly(fault.__name__)

# As fast as can be written, for a while: nothing is lost.
writer.end()
writer = stores.Writer(cluster, rate=100)
before = writer.count
writer.start()
time.sleep(60 if stores.IS_LONG else 5)
writer.end()
mirror.equals(cluster)
print(f"fast: {(writer.count - before)} transactions")
reader.end()
