#!/usr/bin/env python3
"""For a layer that mirrors a store, explain and blame name the key and its revision, or the commit, its path and the
author of the line. A revision never stands beside content that it did not write."""
import json
import os
import re
import subprocess
import sys

import stores
from stores import expect

stores.need("git")
stores.need_etcd()
os.environ.pop("GIT_DIR", None)
base = stores.path("base")
os.mkdir(base)
with open(f"{base}/app.yaml", "w", encoding="utf-8") as low:
    low.write("server:\n  port: 1\nlog: info\n")


def run(*words, **options):
    said = subprocess.run([stores.PLYFS, *words], capture_output=True, text=True, check=False, timeout=60, **options)
    expect(" ".join(words), said.returncode == 0, said)
    stores.check_proposals(words, said, **options)
    return said.stdout + said.stderr


def revision_of(kept, key):
    """Returns the key's revision as etcdctl reports it."""
    return json.loads(kept.run("get", stores.PREFIX + key, "-w", "json").stdout)["kvs"][0]["mod_revision"]


# etcd: one key by itself, several at once, the same value once more; and with files that are not writable.
cluster = stores.Cluster(size=1).start()
gateway = stores.Gateway(cluster)
cluster.put("app.yaml", "server:\n  port: 80\n")
for mode in ("0644", "0444"):
    mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", "/fleet", "--mode", mode, name=f"fleet{mode}",
                           wrapper=["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if stores.shutil.which("setpriv") and
                           os.getuid() == 0 else ()).start()
    mirror.equals(cluster)
    name, layers = f"fleet{mode}", f"{base}:{mirror.directory}"

    def is_told(key):
        want = f"etcd:/fleet/{key}@{revision_of(cluster, key)}:"

        def is_so():
            if not os.path.exists(f"{mirror.directory}/{key}"):
                return "the key has no file yet"
            said = run("explain", "-l", layers, key)
            return want in said or said

        stores.eventually(f"{key} is told", is_so)

    is_told("app.yaml")
    cluster.put("app.yaml", f"server:\n  port: 81\n  mode: {mode}\n")
    is_told("app.yaml")
    gateway.write({"app.yaml": "server:\n  port: 82\n", "other/deep.yaml": f"a: {mode}\n"})
    is_told("app.yaml")
    is_told("other/deep.yaml")
    inode = os.stat(f"{mirror.directory}/app.yaml").st_ino
    cluster.put("app.yaml", "server:\n  port: 82\n")
    is_told("app.yaml")
    if mode == "0644":
        expect("the same value is the same file", os.stat(f"{mirror.directory}/app.yaml").st_ino == inode)
    gateway.write({"app.yaml": "server:\n  port: 82\n", "one": mode, "two": mode})
    is_told("app.yaml")
    cluster.put("other/deep.yaml", "a: 2\n")
    mirror.kill()
    mirror.start()
    is_told("other/deep.yaml")
    expect("the mode is as asked for", os.stat(f"{mirror.directory}/app.yaml").st_mode & 0o777 == int(mode, 8))
    revision = revision_of(cluster, "app.yaml")
    expect("the layer's name stands before it", re.search(
        rf"^server.port: 82 +{name}  etcd:/fleet/app.yaml@{revision}:2:9$", run("explain", "-l", layers, "app.yaml"), re.M))
    said = run("blame", "-l", layers, "app.yaml")
    expect("blame", re.search(rf"^{name}  etcd:/fleet/app.yaml@{revision}:2 +\d\)   port: 82$", said, re.M), said)
    said = json.loads(run("explain", "--json", "-l", layers, "app.yaml", "server.port"))["values"][0]
    expect("JSON", said["etcd"] == {"key": "/fleet/app.yaml", "revision": revision} and "etcd" not in said["overrides"][0], said)
    said = [line for line in json.loads(run("blame", "--json", "-l", layers, "app.yaml"))["lines"] if "etcd" in line]
    expect("blame's JSON", [line["etcd"]["revision"] for line in said] == [revision], said)
    expect("blame's page", f"etcd:/fleet/app.yaml@{revision}" in run("blame", "--html", "-", "-l", layers, "app.yaml"))
    said = run("explain", "-l", f"{mirror.directory}/other", "deep.yaml")
    expect("a directory of it", f"etcd:/fleet/other/deep.yaml@{revision_of(cluster, 'other/deep.yaml')}:1:4" in said, said)
    # An error names it, too. But the name of a file to edit has no revision: it would be another file with each commit.
    cluster.put("app.yaml", "server: {port: 82}\nlist: [1,\n")
    want = f"plyfs: etcd:/fleet/app.yaml@{revision_of(cluster, 'app.yaml')}:2:7: "
    stores.eventually("what is wrong is told", lambda: want in subprocess.run(
        [stores.PLYFS, "check", "-l", layers], capture_output=True, text=True, check=False).stderr)
    gateway.write({"app.yaml": "server:\n  port: 82\n"})
    stores.eventually("it is well again", lambda: subprocess.run([stores.PLYFS, "check", "-l", layers], check=False).returncode == 0)
    expect("the header", "edit the sources: " in run("cat", "-l", layers, "app.yaml") and
           ", etcd:/fleet/app.yaml\n" in run("cat", "-l", layers, "app.yaml"), run("cat", "-l", layers, "app.yaml"))
    mirror.kill()
    # Without the attribute only the key is named; so it is with an invalid attribute.
    for value in (None, b"12x", b"0", b"\x1b[31m", b"9" * 300):
        os.removexattr(f"{mirror.directory}/app.yaml", "user.plyfs.revision")
        if value is not None:
            os.setxattr(f"{mirror.directory}/app.yaml", "user.plyfs.revision", value)
        said = run("explain", "-l", layers, "app.yaml", "server.port")
        expect("the key alone", "etcd:/fleet/app.yaml:2:9" in said, said)
        if value is None:
            os.setxattr(f"{mirror.directory}/app.yaml", "user.plyfs.revision", b"1")
cluster.kill()

# git: the commit is the state's, the author is the line's.
repository = stores.path("repository")
subprocess.run(["git", "init", "-q", "-b", "main", repository], check=True)


def git(*words):
    return subprocess.run(["git", "-C", repository, *words], check=True, capture_output=True, text=True).stdout


def commit(who, message, **files):
    for name, text in files.items():
        os.makedirs(f"{repository}/config/sub", exist_ok=True)
        with open(f"{repository}/config/{name}.yaml", "w", encoding="utf-8") as file:
            file.write(text)
    git("add", "-A")
    git("-c", f"user.name={who}", "-c", "user.email=who@example.org", "commit", "-q", "--allow-empty", "-m", message)
    return git("rev-parse", "HEAD").strip()


first = commit("Ada Lovelace", "first\n\nbody", app="server:\n  port: 80\n  host: a\n")
second = commit("Grace \x1b[31mHopper, whose name goes on and on", "second", app="server:\n  port: 81\n  host: a\n")
mirror = stores.Mirror("git", "--ref", "main", "--path", "/config/", "--interval", "1", repository, name="gitted").start()
stores.eventually("it is there", lambda: mirror.status().get("revision") == second or mirror.status())
layers = f"{base}:{mirror.directory}"
said = run("explain", "-l", layers, "app.yaml")
expect("explain", re.search(rf"^server.host: a +gitted  git:{second[:12]}:config/app.yaml:3:9$", said, re.M), said)
said = run("blame", "-l", layers, "app.yaml")
expect("the first one's line", re.search(
    rf"^gitted  git:{second[:12]}:config/app.yaml:3  {first[:12]} Ada Lovelace +\d\)   host: a$", said, re.M), said)
expect("the second one's line", re.search(
    rf"^gitted  git:{second[:12]}:config/app.yaml:2  {second[:12]} Grace \\x1B\[31mHopper, .*…  +\d\)   port: 81$", said, re.M), said)
lines = [line for line in json.loads(run("blame", "--json", "-l", layers, "app.yaml"))["lines"] if "git" in line]
expect("JSON", [(line["git"], line["changed"]["commit"], line["changed"]["summary"]) for line in lines] == [
    ({"commit": second, "path": "config/app.yaml"}, second, "second"), ({"commit": second, "path": "config/app.yaml"}, first, "first")],
    lines)
expect("the page", f'title="{first[:12]} Ada Lovelace: first"' in run("blame", "--html", "-", "-l", layers, "app.yaml"))
# An error that a schema finds names the commit, too.
with open(stores.path("schema.yaml"), "w", encoding="utf-8") as schema:
    schema.write("properties: {server: {properties: {port: {maximum: 80}}}}\n")
with open(stores.path("plyfs.yaml"), "w", encoding="utf-8") as settings:
    settings.write(f"layers: [{base}, {mirror.directory}]\nrules: [{{match: app.yaml, schema: schema.yaml}}]\n")
said = subprocess.run([stores.PLYFS, "check", "-c", stores.path("plyfs.yaml")], capture_output=True, text=True, check=False).stderr
expect("the schema's error", said.startswith(f"plyfs: git:{second[:12]}:config/app.yaml:2:9: server.port must be at most 80"), said)
# A commit that changes nothing of the file is the state's commit all the same.
third = commit("Nobody", "nothing")
stores.eventually("it is told", lambda: f"git:{third[:12]}:" in run("explain", "-l", layers, "app.yaml") or mirror.status())
# A change is refused with the remedy, which explain names at once.
said = run("explain", "-l", layers, "app.yaml", "server.port")
expect("explain tells of a commit", said.endswith(f"\nchange it: commit to config/app.yaml of {repository} (main)\n"), said)
refused = subprocess.run([stores.PLYFS, "set", "-l", layers, "app.yaml", "server.port", "1"], capture_output=True, text=True, check=False)
expect("it is refused", refused.returncode == 1 and "commit the change there, in 'config/app.yaml' of" in refused.stderr, refused)
for command in (["edit", "-l", layers, "app.yaml"], ["edit", "-n", "-l", layers, "new.yaml"]):
    refused = subprocess.run([stores.PLYFS, *command], capture_output=True, text=True, check=False,
                             env=dict(os.environ, VISUAL=f"touch {stores.path('opened')};", EDITOR=f"touch {stores.path('opened')};"))
    expect("before an editor is opened", refused.returncode == 1 and not os.path.exists(stores.path("opened")) and
           f"plyfs: git:{third[:12]}:config/{command[-1]}: the layer 'gitted' is a mirror of a git repository: commit the change there" in
           refused.stderr, refused)
expect("nothing was changed", open(f"{mirror.directory}/app.yaml", encoding="utf-8").read() == "server:\n  port: 81\n  host: a\n")
mirror.kill()

# A repository's configuration is the word of its owner: git follows it with the owner's rights, or not at all.
if os.getuid() != 0:
    sys.exit(0)
os.chmod(stores.DIRECTORY, 0o755)
state = stores.path(".gitted.mirror")
trap = stores.path("trap")
with open(trap, "w", encoding="utf-8") as file:
    file.write(f"#!/bin/sh\nid -u >>{stores.path('caught')}\ncat\n")
os.chmod(trap, 0o755)
open(stores.path("caught"), "w", encoding="utf-8").close()
os.chmod(stores.path("caught"), 0o666)
with open(f"{state}/git/config", "a", encoding="utf-8") as file:
    file.write(f"[core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n\thooksPath = {stores.DIRECTORY}\n"
               f"[diff \"d\"]\n\ttextconv = {trap}\n[filter \"d\"]\n\tclean = {trap}\n\tsmudge = {trap}\n"
               f"[uploadpack]\n\tpackObjectsHook = {trap}\n")
os.makedirs(f"{state}/git/info", exist_ok=True)
with open(f"{state}/git/info/attributes", "w", encoding="utf-8") as file:
    file.write("* diff=d filter=d\n")
subprocess.run(["chown", "-R", "65534:65534", state], check=True)
said = run("blame", "-l", layers, "app.yaml")
expect("root is told", "Ada Lovelace" in said, said)
said = run("blame", "-l", layers, "app.yaml", user=1, group=1, extra_groups=[])
expect("others are told why not", "only that user and root" in said and "Ada" not in said and f"git:{third[:12]}" in said, said)
caught = open(stores.path("caught"), encoding="utf-8").read()
expect("nothing of it was run as root", "0\n" not in caught and "1\n" not in caught, caught)
