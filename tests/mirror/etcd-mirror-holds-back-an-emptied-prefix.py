#!/usr/bin/env python3
"""If a store was emptied or set back to an old snapshot, or is another store, nothing changes until a user confirms
that, or until the store is as it was."""

import stores
from stores import expect

stores.need_etcd()
cluster = stores.Cluster(size=1).start()
gateway = stores.Gateway(cluster)
member = cluster.members[0]


def stays(mirror, files):
    stores.time.sleep(0.5)
    expect("what there was stays", mirror.files() == files, mirror.files())


def has_answered(mirror):
    stores.eventually("the store has answered", lambda: "store" not in mirror.troubles() or mirror.troubles())
    expect("so the mirror is connected", mirror.status()["connected"], mirror.status())


gateway.write({f"k{i}": str(i) for i in range(10)})
cluster.run("snapshot", "save", stores.path("old.db"), endpoints=member.url)
gateway.write({f"k{i}": f"new {i}" for i in range(10)})
mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", stores.PREFIX).start()
mirror.equals(cluster)
good = mirror.files()

# Half of them is not more than half.
gateway.write({}, [f"k{i}" for i in range(5)])
mirror.equals(cluster)
gateway.write({f"k{i}": f"new {i}" for i in range(5)})
mirror.equals(cluster)

# The store is emptied, and filled again by an administrator.
cluster.delete("", "--prefix")
mirror.has_trouble("suspicion", "10 of 10 files would go away")
stays(mirror, good)
gateway.write({key.decode(): value for key, value in good.items()})
mirror.hup()
mirror.equals(cluster)
mirror.is_well()

# The store is emptied while the mirror is away. The mirror is killed while it holds the state back. Then it is
# confirmed.
mirror.kill()
cluster.delete("", "--prefix")
gateway.write({"k1": "only this"})
mirror.start()
mirror.has_trouble("suspicion", "9 of 10")
stays(mirror, good)
mirror.kill()
mirror.start()
mirror.has_trouble("suspicion", "9 of 10")
stays(mirror, good)
mirror.confirm()
mirror.equals(cluster)
mirror.is_well()
said = stores.subprocess.run([stores.PLYFS, "mirror", "confirm", mirror.directory], capture_output=True, text=True,
                             check=False)
expect("there is nothing more to confirm", said.returncode == 1 and "nothing is held back" in said.stderr, said)
# One confirmation does not hold for the next time.
gateway.write({f"k{i}": f"new {i}" for i in range(10)})
mirror.equals(cluster)
cluster.delete("", "--prefix")
mirror.has_trouble("suspicion", "10 of 10")
gateway.write({f"k{i}": f"new {i}" for i in range(10)})
mirror.hup()
mirror.equals(cluster)
mirror.is_well()


# Set back to an old snapshot, with the same name: its revision is older.
cluster.kill()
mirror.has_trouble("store")
cluster.restore(stores.path("old.db"), "token")
mirror.has_trouble("suspicion", "set back")
has_answered(mirror)
stays(mirror, good)
mirror.confirm()
mirror.equals(cluster)
mirror.is_well()

# Another cluster.
good = mirror.files()
cluster.kill()
mirror.has_trouble("store")
cluster.restore(stores.path("old.db"), "another")
for i in range(30):
    gateway = stores.Gateway(cluster)
    gateway.write({f"k{i % 10}": f"other {i}"})
mirror.has_trouble("suspicion", "is the cluster")
has_answered(mirror)
stays(mirror, good)
mirror.confirm()
mirror.equals(cluster)
mirror.is_well()

# --max-delete 100 lets all keys go.
free = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", stores.PREFIX, "--max-delete", "100",
                     name="free").start()
free.equals(cluster)
cluster.delete("", "--prefix")
free.equals(cluster)
