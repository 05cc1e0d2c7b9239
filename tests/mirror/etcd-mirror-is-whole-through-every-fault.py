#!/usr/bin/env python3
"""Whatever happens to the members, the network or the mirror, readers see the state of one revision, and in the end
the state is that of etcdctl."""
import json
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
    """Stops the writer, waits until all are equal, and starts the writer again."""
    writer.end()
    cluster.wait()
    mirror.equals(cluster)
    mirror.is_well()
    if reader.half is not None:
        sys.exit(f"failed: half a transaction was read: {what}: {reader.half}")
    print(f"{what}: {writer.count} transactions, {reader.good} readings", flush=True)
    go_on(writer.values)
    writer.start()


def go_on(values):
    """The writer goes on from these values."""
    global writer
    again = stores.Writer(cluster)
    again.values, again.count = values, writer.count
    writer = again


def leader_is_killed():
    # There is none while one is elected.
    stores.eventually("there is a leader", lambda: cluster.leader() is not None)
    leader = cluster.leader() or cluster.members[0]
    leader.kill()
    time.sleep(LENGTH)
    leader.start()


def all_stand_still():
    cluster.signal(signal.SIGSTOP)
    time.sleep(LENGTH * 4)
    cluster.signal(signal.SIGCONT)


def one_stands_still():
    """Stops the member that the mirror is connected to: the mirror notices only that the member is silent."""
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


def save(member, name):
    cluster.run("snapshot", "save", stores.path(name), endpoints=member.url)
    return stores.path(name)


def one_is_another_cluster():
    """Restores one member alone from an old snapshot, which makes it a cluster of its own. The others go on."""
    urls = [f"http://127.0.0.1:{proxy.port}" for proxy in proxies]
    number = urls.index(mirror.status()["endpoint"])
    member, others = cluster.members[number], [m for m in cluster.members if m.number != number]
    identity = json.loads(cluster.run("endpoint", "status", "-w", "json", endpoints=member.url).stdout)
    snapshot = save(member, "member.db")
    time.sleep(LENGTH)
    member.restore(snapshot, f"{member.name}={member.peer_url()}", "alone")
    member.start()
    # The others can't be reached for a while, so the mirror asks this one, too.
    for other in others:
        proxies[other.number].target = 1
        proxies[other.number].cut()
    mirror.has_trouble("suspicion", "is the cluster")
    for other in others:
        proxies[other.number].target = other.client
        proxies[other.number].mend()
    stores.eventually("one of the others is used", lambda: (mirror.status()["endpoint"] != urls[number]
                                                            and "suspicion" not in mirror.troubles()) or mirror.status())
    member.kill()
    stores.shutil.rmtree(member.data)
    rest = ",".join(other.url for other in others)
    cluster.run("member", "remove", f"{identity[0]['Status']['header']['member_id']:x}", endpoints=rest)
    stores.eventually("it is a member again", lambda: cluster.run(
        "member", "add", member.name, "--peer-urls", member.peer_url(), endpoints=rest, check=False).returncode == 0)
    member.start("--initial-cluster-state", "existing")


def all_are_set_back_and_overtake():
    """Restores all members while the mirror is stopped, and writes until the revision is higher than the one before."""
    writer.end()
    cluster.wait()
    mirror.equals(cluster)
    snapshot, values = save(cluster.members[0], "overtaken.db"), dict(writer.values)
    writer.values = {key: "lost" for key in values}
    gateway = stores.Gateway(cluster)
    gateway.write(dict(writer.values, sum=stores.checksum(writer.values)))
    mirror.equals(cluster)
    mirror.process.send_signal(signal.SIGSTOP)
    cluster.restore(snapshot, "token")
    go_on(values)
    for _ in range(2):
        writer.write_once()
    mirror.process.send_signal(signal.SIGCONT)
    writer.start()


def all_are_set_back():
    """Waits until the state is held back, and confirms it."""
    writer.end()
    cluster.wait()
    snapshot, values = save(cluster.members[0], "old.db"), dict(writer.values)
    for _ in range(10):
        writer.write_once()
    mirror.equals(cluster)
    good = mirror.files()
    cluster.restore(snapshot, "token")
    mirror.has_trouble("suspicion", "set back")
    if mirror.files() != good:
        sys.exit("failed: what is held back is there")
    go_on(values)
    mirror.confirm()
    mirror.equals(cluster)
    writer.start()


quietly("nothing happens")
for fault in (leader_is_killed, all_stand_still, one_stands_still, all_are_killed, compaction_while_away, network_is_cut,
              one_is_another_cluster, all_are_set_back_and_overtake, all_are_set_back, mirror_is_killed):
    time.sleep(0.3)
    fault()
    quietly(fault.__name__)

# Writes as fast as possible, for a while: nothing is lost.
writer.end()
writer = stores.Writer(cluster, rate=100)
before = writer.count
writer.start()
time.sleep(60 if stores.IS_LONG else 5)
writer.end()
mirror.equals(cluster)
print(f"fast: {(writer.count - before)} transactions")
reader.end()
