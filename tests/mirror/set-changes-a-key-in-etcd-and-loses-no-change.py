#!/usr/bin/env python3
"""plyfs set, unset and edit of a layer that mirrors etcd change the key, and a mount shows it. A command that is
overtaken repeats its edit. If an answer is lost, the command finds out what was done. The mirror's copy is never
written."""
import os
import subprocess
import sys
import threading

import stores
from stores import expect, run

stores.need_etcd()
cluster = stores.Cluster(size=1).start()
cluster.put("app.yaml", "server:\n  port: 80  # http\n  hosts: [a]\n")
cluster.put("conf/deep.yaml", "x: 1\n")
mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", "/fleet").start()
mirror.equals(cluster)
base, fleet = stores.path("base"), mirror.directory
os.mkdir(base)
with open(f"{base}/app.yaml", "w", encoding="utf-8") as file:
    file.write("server:\n  port: 1\nlog: info\n")
LAYERS = f"{base}:{fleet}"


def is_read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


# The highest layer is the mirror. The new value can be read at once; comments stay.
said = run("set", "-l", LAYERS, "app.yaml", "server.port", "9090")
expect("the place is told", said.startswith("etcd:/fleet/app.yaml@") and said.endswith(":2: server.port: 80 -> 9090\n"), said)
expect("key", cluster.get()[b"app.yaml"] == b"server:\n  port: 9090  # http\n  hosts: [a]\n", cluster.get())
expect("layer", is_read(f"{fleet}/app.yaml") == "server:\n  port: 9090  # http\n  hosts: [a]\n")
revision = cluster.revision()
expect("once more changes nothing", "so already" in run("set", "-l", LAYERS, "app.yaml", "server.port", "9090"))
expect("a dry run is a difference", "+  port: 1  # http\n" in run("set", "-n", "-l", LAYERS, "app.yaml", "server.port", "1"))
expect("nothing was written", cluster.revision() == revision)

# New keys, a layer below the mirror's directory, a lower layer's value, an editor.
run("set", "-l", LAYERS, "-L", "fleet", "brand/new.yaml", "a.b", "1")
run("set", "-l", f"{base}:{fleet}/conf", "deep.yaml", "y=2", "z=3")
run("unset", "-l", LAYERS, "app.yaml", "log")
editor = stores.path("editor")
with open(editor, "w", encoding="utf-8") as file:
    file.write("#!/bin/sh\nsed -i 's/9090/9191/' \"$1\"\n")
os.chmod(editor, 0o755)
run("edit", "-l", LAYERS, "app.yaml", env=dict(os.environ, EDITOR=editor, VISUAL=editor))
found = cluster.get()
expect("all of it is there", found == {
    b"app.yaml": b"server:\n  port: 9191  # http\n  hosts: [a]\nlog: !delete\n",
    b"brand/new.yaml": b"a:\n  b: 1\n", b"conf/deep.yaml": b"x: 1\ny: 2\nz: 3\n"}, found)

# reset takes a value out of the key, or deletes the key; hide makes the key of a whiteout.
said = run("reset", "-l", LAYERS, "app.yaml", "log")
expect("the lower value shows again", "(shows " in said and f"{base}/app.yaml:3" in said, said)
expect("the value is gone from the key", cluster.get()[b"app.yaml"] == b"server:\n  port: 9191  # http\n  hosts: [a]\n")
run("reset", "-l", LAYERS, "brand/new.yaml", "a.b")
run("reset", "-l", f"{base}:{fleet}/conf", "deep.yaml")
expect("an empty source is removed", set(cluster.get()) == {b"app.yaml"}, cluster.get())
with open(f"{base}/low.yaml", "w", encoding="utf-8") as file:
    file.write("a: 1\n")
run("hide", "-l", LAYERS, "-L", "fleet", "low.yaml")
expect("there is a whiteout", b".wh.low.yaml" in cluster.get(), cluster.get())
run("cat", "-l", LAYERS, "low.yaml", code=1)
run("reset", "-l", LAYERS, "-L", "fleet", "low.yaml")
expect("there is none", set(cluster.get()) == {b"app.yaml"}, cluster.get())
os.unlink(f"{base}/low.yaml")
cluster.put("brand/new.yaml", "a:\n  b: 1\n")
cluster.put("name", "plain\n")
cluster.put("gone", "9090\n")
mirror.equals(cluster)
run("set", "-l", LAYERS, "-L", "base", "own.yaml", "a=1")
expect("another layer is a directory", is_read(f"{base}/own.yaml") == "a: 1\n")
expect("a name that can be no key", "255 bytes" in run("set", "-l", LAYERS, "a" * 256 + ".yaml", "a=1", code=1))

# A value that the mirror has not brought yet is edited as it is in etcd.
mirror.process.send_signal(stores.signal.SIGSTOP)
cluster.put("app.yaml", "server:\n  port: 5\nlate: yes\n")
cluster.put("unseen.yaml", "a: 1\n")
cluster.delete("brand/new.yaml")
for path, key in (("app.yaml", "server.port"), ("unseen.yaml", "b"), ("brand/new.yaml", "c")):
    said = run("set", "-l", LAYERS, path, key, "6")
    expect("it is told that it does not show", "does not have it yet" in said, said)
found = cluster.get()
expect("nobody's change is lost", (found[b"app.yaml"], found[b"unseen.yaml"], found[b"brand/new.yaml"]) ==
       (b"server:\n  port: 6\nlate: yes\n", b"a: 1\nb: 6\n", b"c: 6\n"), found)
cluster.delete("gone")
run("edit", "-l", LAYERS, "gone", env=dict(os.environ, EDITOR=editor, VISUAL=editor))
expect("the text of the editor is written though its key is gone", cluster.get().get(b"gone") == b"9191\n", cluster.get())
mirror.process.send_signal(stores.signal.SIGCONT)
mirror.equals(cluster)
mirror.kill()
expect("no mirror", "no mirror is running" in run("set", "-l", LAYERS, "app.yaml", "server.port", "7"))
mirror.start()
mirror.equals(cluster)

# Overtaken between reading and writing: the file's check changes the key.
overtake = stores.path("overtake")
with open(overtake, "w", encoding="utf-8") as file:
    file.write(f"#!/bin/sh\n[ -e {overtake}.done ] && exit 0\n: >{overtake}.done\n"
               f"ETCDCTL_API=3 {stores.shutil.which('etcdctl')} --endpoints {cluster.endpoints()} put /fleet/app.yaml 'other: 1'\n")
os.chmod(overtake, 0o755)
def settle(rule):
    with open(stores.path("plyfs.yaml"), "w", encoding="utf-8") as settings:
        settings.write(f"layers: [{base}, {fleet}]\nrules:\n- match: app.yaml\n  {rule}\n")
    return stores.path("plyfs.yaml")


run("set", "-c", settle(f"check: {{run: [{overtake}, '%f'], user: root}}"), "app.yaml", "mine", "2")
expect("it was overtaken", os.path.exists(f"{overtake}.done"))
expect("both changes are there", cluster.get()[b"app.yaml"] == b"other: 1\nmine: 2", cluster.get())

# The mirror replaces its directory meanwhile: the directory that the command opened is gone.
swap = stores.path("swap")
with open(swap, "w", encoding="utf-8") as file:
    file.write(f"#!/bin/sh\n[ -e {swap}.done ] && exit 0\n: >{swap}.done\nold=$(readlink {fleet})\n"
               "printf '\\nput /fleet/t1.yaml \"a: 1\"\\nput /fleet/t2.yaml \"a: 2\"\\n\\n\\n' | ETCDCTL_API=3 "
               f"{stores.shutil.which('etcdctl')} --endpoints {cluster.endpoints()} txn >&2\n"
               f"while [ \"$(readlink {fleet})\" = \"$old\" ]; do sleep 0.02; done\n")
os.chmod(swap, 0o755)
for layers in (fleet, base):
    if os.path.exists(f"{swap}.done"):
        os.unlink(f"{swap}.done")
        cluster.put("t1.yaml", "b: 1\n")
    run("set", "-L", os.path.basename(layers), "-c", settle(f"check: {{run: [{swap}, '%f'], user: root, timeout: 30s}}"),
        "app.yaml", f"swapped.{os.path.basename(layers)}", "1")
    expect("it was replaced", os.path.exists(f"{swap}.done"))
mirror.equals(cluster)
expect("the change is in the key", cluster.get()[b"app.yaml"] == b"other: 1\nmine: 2\nswapped:\n  fleet: 1", cluster.get())
expect("and in the other layer", "swapped:\n  base: 1\n" in is_read(f"{base}/app.yaml"), is_read(f"{base}/app.yaml"))
expect("nothing else was touched", is_read(f"{fleet}/app.yaml") == cluster.get()[b"app.yaml"].decode())

# A check that fails, and a value that a lower layer has locked: nothing is written.
revision = cluster.revision()
run("set", "-c", settle("check: {run: [/bin/false, '%f'], user: root}"), "app.yaml", "mine", "3", code=1)
run("set", "-c", settle("lock: {base: [log]}"), "app.yaml", "log", "debug", code=1)
expect("nothing was written", cluster.revision() == revision)


class LosesAnAnswer(stores.Proxy):
    """Passes all data on, except the answer to the first transaction: etcd does it, and the command does not learn of
    it."""
    has_lost, is_transaction = False, False

    def pump(self, source, sink, is_answer):
        try:
            while data := source.recv(65536):
                if not is_answer and b"/v3/kv/txn" in data and not self.has_lost:
                    self.is_transaction = True
                if is_answer and self.is_transaction:
                    self.is_transaction, self.has_lost = False, True
                    break
                sink.sendall(data)
        except OSError:
            pass
        for sock in (source, sink):
            try:
                sock.shutdown(stores.socket.SHUT_RDWR)
            except OSError:
                pass


proxy = LosesAnAnswer(cluster.members[0].client)
run("set", "--endpoints", f"http://127.0.0.1:{proxy.port}", "-l", LAYERS, "list.yaml", "items[+]=once")
expect("an answer was lost", proxy.has_lost)
expect("it was written once", cluster.get()[b"list.yaml"] == b"items:\n- once\n", cluster.get())

# Of a deletion, too, it is known whether it shows.
proxy = LosesAnAnswer(cluster.members[0].client)
mirror.equals(cluster)
mirror.kill()
said = run("reset", "--endpoints", f"http://127.0.0.1:{proxy.port}", "-l", LAYERS, "list.yaml")
expect("an answer was lost", proxy.has_lost)
expect("it was deleted", b"list.yaml" not in cluster.get(), cluster.get())
expect("it does not show", "no mirror is running" in said, said)
mirror.start()

# Eight commands at once, again and again.
COUNT = 12 if stores.IS_LONG else 5
failures = []


def write_all(number):
    for i in range(COUNT):
        said = subprocess.run([stores.PLYFS, "set", "-l", LAYERS, "count.yaml", f"list[+]=w{number}-{i}", f"by.w{number}={i}"],
                              capture_output=True, text=True, check=False, timeout=120)
        if said.returncode:
            failures.append(said)


writers = [threading.Thread(target=write_all, args=(number,)) for number in range(8)]
for writer in writers:
    writer.start()
for writer in writers:
    writer.join()
expect("all have written", not failures, failures)
lines = cluster.get()[b"count.yaml"].decode().split("\n")
items = [line[2:] for line in lines if line.startswith("- ")]
expect("no change is lost", sorted(items) == sorted(f"w{n}-{i}" for n in range(8) for i in range(COUNT)), items)
expect("and none comes twice", [line for line in lines if line.startswith("  w")] and
       sorted(line for line in lines if line.startswith("  w")) == [f"  w{n}: {COUNT - 1}" for n in range(8)], lines)
mirror.equals(cluster)

# The copy can't be written to, by any path.
state = os.path.dirname(os.readlink(fleet))
tree = os.readlink(fleet)
os.symlink(tree, stores.path("link"))
before = is_read(f"{fleet}/app.yaml")
for layers, path, layer in ((state, f"{os.path.basename(tree)}/app.yaml", None), (stores.DIRECTORY, ".fleet.mirror/" +
                            os.path.basename(tree) + "/brand/other.yaml", None)):
    said = run("set", "-l", layers, path, "copy", "1", code=1)
    expect("it is refused", "which a mirror writes" in said, said)
run("set", "-l", f"{base}:{stores.path('link')}", "app.yaml", "by", "link")
expect("a link to it is the layer", b"by: link" in cluster.get()[b"app.yaml"], cluster.get())
mirror.equals(cluster)
mirror.kill()
os.rename(f"{state}/status.json", f"{state}/away")
before = is_read(f"{fleet}/app.yaml")
said = run("set", "-l", LAYERS, "app.yaml", "copy", "1", code=1)
expect("not without a status", "does not name its store" in said and is_read(f"{fleet}/app.yaml") == before, said)
os.rename(f"{state}/away", f"{state}/status.json")

# A cluster that is not the mirror's is not written to.
other = stores.Cluster("other", 1).start()
said = run("set", "--endpoints", other.endpoints(), "-l", LAYERS, "app.yaml", "a", "1", code=1)
expect("another cluster is refused", "is the cluster" in said and other.get() == {}, said)
said = run("set", "--user-file", "/dev/null", "-l", LAYERS, "app.yaml", "a", "1", code=1)
expect("half of the way is refused", "need --endpoints" in said, said)
cluster.kill()
said = run("set", "-l", LAYERS, "app.yaml", "a", "1", code=1)
expect("a store that is away", "127.0.0.1" in said, said)
cluster.members[0].start()
cluster.wait()
mirror.start()
mirror.equals(cluster)

# A mount shows it.
if not os.path.exists("/dev/fuse") or "without FUSE" in run("help", "mount"):
    sys.exit(0)
mount = stores.path("mnt")
os.mkdir(mount)
with open(stores.path("mount.log"), "wb") as log:
    plyfs = stores.spawn([stores.PLYFS, "mount", "-f", LAYERS, mount], stdout=log, stderr=log)
stores.ENDINGS.append(lambda: subprocess.run(["umount", "-l", mount], capture_output=True, check=False))
stores.eventually("it is mounted", lambda: os.path.exists(f"{mount}/app.yaml"))
run("set", f"{mount}/app.yaml", "server.port", "1234")
stores.eventually("the mount shows it", lambda: "port: 1234" in is_read(f"{mount}/app.yaml") or is_read(f"{mount}/app.yaml"))
run("set", f"{mount}/new.yaml", "a", "1")
stores.eventually("a new key", lambda: os.path.exists(f"{mount}/new.yaml"))
gateway = stores.Gateway(cluster)
gateway.write({f"many/{i}": "1" for i in range(10)})
mirror.equals(cluster)
# The tree was replaced by then.
stores.eventually("many", lambda: os.path.exists(f"{mount}/many/9"))
run("set", f"{mount}/app.yaml", "server.port", "1235")
stores.eventually("the mount shows it", lambda: "port: 1235" in is_read(f"{mount}/app.yaml") or is_read(f"{mount}/app.yaml"))
said = run("explain", f"{mount}/app.yaml", "server.port")
expect("a mount's place is the key's", f"etcd:/fleet/app.yaml@{cluster.revision()}:" in said, said)
stores.eventually("it is unmounted", lambda: subprocess.run(["umount", mount], check=False).returncode == 0)
plyfs.wait()
