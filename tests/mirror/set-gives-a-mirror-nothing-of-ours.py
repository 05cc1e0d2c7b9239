#!/usr/bin/env python3
"""A mirror's status is the word of the user who runs the mirror. Root follows it with that user's rights, others do
not follow it at all. No file is read that the mirror's user could not read. Users, roles and client certificates."""
import json
import os
import socket
import subprocess
import sys
import threading

import stores
from stores import expect, run

stores.need_etcd()
if os.getuid() != 0:
    stores.skip("only root can be another user")
NOBODY, DAEMON = 65534, 1
os.chmod(stores.DIRECTORY, 0o755)
cluster = stores.Cluster(size=1).start()
cluster.put("app.yaml", "a: 1\n")
home = stores.path("home")
os.mkdir(home)
os.chown(home, NOBODY, NOBODY)


def is_user(uid):
    return {"user": uid, "group": uid, "extra_groups": []}


def write(name, text, uid=0, mode=0o600):
    with open(stores.path(name), "w", encoding="utf-8") as file:
        file.write(text)
    os.chown(stores.path(name), uid, uid)
    os.chmod(stores.path(name), mode)
    return stores.path(name)


class Attacker(threading.Thread):
    """Answers like an etcd with users, and records all requests."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener, self.heard = socket.create_server(("127.0.0.1", 0)), b""
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.start()

    def run(self):
        body = json.dumps({"header": {"cluster_id": "1", "revision": "5"}, "token": "t", "succeeded": True}).encode()
        while True:
            client, _ = self.listener.accept()
            client.settimeout(2)
            try:
                self.heard += client.recv(65536)
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                self.heard += client.recv(65536)
            except OSError:
                pass
            client.close()


# As the mirror of the user nobody states it.
wrapper = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
stores.need("setpriv")
mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", "/fleet/", wrapper=wrapper, directory=home)
mirror.start()
mirror.equals(cluster)
layer = mirror.directory
state = os.path.join(home, ".fleet.mirror")
expect("it is nobody's", os.stat(f"{state}/status.json").st_uid == NOBODY)
run("set", "-l", layer, "app.yaml", "a", "2")
expect("root follows it", cluster.get()[b"app.yaml"] == b"a: 2\n")
run("set", "-l", layer, "app.yaml", "a", "3", **is_user(DAEMON))
expect("where no file is named, others do, too", cluster.get()[b"app.yaml"] == b"a: 3\n")
mirror.kill()


def lie(uid=NOBODY, **access):
    with open(f"{state}/status.json", encoding="utf-8") as file:
        status = json.load(file)
    status["access"], status["identity"] = access, "1"
    with open(f"{state}/new", "w", encoding="utf-8") as file:
        json.dump(status, file)
    os.chown(f"{state}/new", uid, uid)
    os.rename(f"{state}/new", f"{state}/status.json")


# A secret of root's, of another user's, and one that is reached by a link of the mirror's user.
attacker = Attacker()
write("secret", "root:hash-of-root\n")
write("daemons", "daemon:hash-of-daemon\n", DAEMON)
os.symlink(stores.path("secret"), os.path.join(home, "link"))
os.lchown(os.path.join(home, "link"), NOBODY, NOBODY)
for name in (stores.path("secret"), stores.path("daemons"), os.path.join(home, "link"), "/etc/shadow"):
    for how in ({"user_file": name}, {"cert": name, "key": name}, {"cacert": name, "user_file": name}):
        for who in (0, DAEMON):
            lie(endpoints=attacker.url, **how)
            run("set", "-l", layer, "app.yaml", "a", "4", code=1 if "user_file" in how or who else 0, **is_user(who))
expect("nothing of it was heard", b"hash-of" not in attacker.heard and b"root" not in attacker.heard, attacker.heard)
said = run("set", "-l", layer, "app.yaml", "a", "4", code=1, **is_user(DAEMON))
expect("others are told what to do", "--endpoints, --prefix" in said, said)
# The mirror's user may give away files of its own.
write("home/own", "me:mine\n", NOBODY)
lie(endpoints=attacker.url, user_file=stores.path("home/own"))
run("set", "-l", layer, "app.yaml", "a", "4")
expect("his own is sent", b"mine" in attacker.heard, attacker.heard)
# Credentials of the command line go to endpoints and keys of the command line.
write("given", "writer:given-by-root\n")
lie(endpoints=attacker.url)
said = run("set", "--user-file", stores.path("given"), "-l", layer, "app.yaml", "a", "4", code=1)
expect("not to his endpoints", "need --endpoints" in said, said)
said = run("set", "--endpoints", cluster.endpoints(), "-l", layer, "app.yaml", "a", "4", code=1)
expect("not to his keys", "give --prefix" in said, said)
expect("nothing of it was heard", b"given-by" not in attacker.heard, attacker.heard)
# A file of root's that the mirror's user has made its status, and a directory that others may write.
lie(uid=0, endpoints=attacker.url, user_file=stores.path("secret"))
for who in (0, DAEMON):
    said = run("set", "-l", layer, "app.yaml", "a", "4", code=1, **is_user(who))
    expect("it is nobody's word", "users other than its owner" in said, said)
lie(endpoints=attacker.url)
os.chmod(state, 0o777)
said = run("set", "-l", layer, "app.yaml", "a", "4", code=1)
expect("a directory that others may write", "chmod go-w" in said, said)
os.chmod(state, 0o755)
# A nonsensical status is no crash.
for status in ("", "[]", "{", '{"kind": 5, "access": 7}', '{"kind": "etcd", "source": "/", "access": []}',
               '{"kind": "etcd", "source": {}, "access": {"endpoints": ["x"]}}', "[" * 100000,
               '{"kind": "etcd", "source": "a\\u0000b", "access": {"endpoints": "\\u0000"}}',
               '{"kind": "git", "source": "a", "access": {"path": "../..", "ref": "\\u001b[31m"}}'):
    write("home/.fleet.mirror/status.json", status, NOBODY, 0o644)
    said = run("set", "-l", layer, "app.yaml", "a", "4", code=1)
    expect("nothing that steers a terminal", "\x1b" not in said, said)
    run("explain", "-l", layer, "app.yaml")
    run("blame", "-l", layer, "app.yaml")
os.unlink(f"{state}/status.json")
os.mkfifo(f"{state}/status.json")
run("set", "-l", layer, "app.yaml", "a", "4", code=1)
os.unlink(f"{state}/status.json")

# Users and roles: the mirror may only read, and a user who changes a value names a user of etcd.
for words in (("user", "add", "root:secret"), ("user", "grant-role", "root", "root"), ("user", "add", "web:pass"),
              ("role", "add", "reader"), ("role", "grant-permission", "reader", "read", "--prefix=true", "/fleet/"),
              ("user", "grant-role", "web", "reader"), ("user", "add", "writer:given-by-root"), ("role", "add", "all"),
              ("role", "grant-permission", "all", "readwrite", "--prefix=true", "/fleet/"),
              ("user", "grant-role", "writer", "all"), ("auth", "enable")):
    cluster.run(*words)
cluster.ctl = ("--user", "root:secret")
web = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", "/fleet/", "--user-file",
                    write("home/user", "web:pass\n", NOBODY), name="web", wrapper=wrapper, directory=home)
web.start()
web.equals(cluster)
said = run("set", "-l", web.directory, "app.yaml", "a", "5", code=1)
expect("the mirror's user may not write", "permission denied" in said, said)
own = ("--endpoints", cluster.endpoints(), "--prefix", "/fleet", "--user-file", stores.path("given"))
run("set", *own, "-l", web.directory, "app.yaml", "a", "5")
os.chmod(stores.path("given"), 0o644)
run("unset", *own, "-l", web.directory, "app.yaml", "a", **is_user(DAEMON))
run("set", *own, "-l", web.directory, "app.yaml", "b", "5", **is_user(DAEMON))
expect("those who are given do", cluster.get()[b"app.yaml"].endswith(b"b: 5\n"), cluster.get())
web.kill()
cluster.kill()

# Client certificates.
if not stores.shutil.which("openssl"):
    sys.exit(0)


def openssl(*words):
    subprocess.run(["openssl", *words], cwd=stores.DIRECTORY, check=True, capture_output=True)


openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=ca")
write("ext", "subjectAltName=IP:127.0.0.1\n")
for name in ("server", "client"):
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "ext", "-out", f"{name}.pem")
files = [stores.path(name) for name in ("ca.pem", "client.pem", "client.key")]
for name in files:
    os.chown(name, NOBODY, NOBODY)
secure = stores.Cluster("tls", 1, scheme="https", flags=(
    "--cert-file", stores.path("server.pem"), "--key-file", stores.path("server.key"), "--client-cert-auth",
    "--trusted-ca-file", files[0]), ctl=("--cacert", files[0], "--cert", files[1], "--key", files[2])).start()
secure.put("app.yaml", "tls: 1\n")
# Names that are relative to the mirror's directory are shown as they are found from everywhere.
tls = stores.Mirror("etcd", "--endpoints", secure.endpoints(), "--prefix", "/fleet/", "--cacert", "ca.pem", "--cert",
                    "client.pem", "--key", "client.key", name="tls", wrapper=wrapper, directory=home)
os.chdir(stores.DIRECTORY)
tls.start()
os.chdir("/")
tls.equals(secure)
run("set", "-l", tls.directory, "app.yaml", "tls", "2")
expect("with the mirror's certificate", secure.get()[b"app.yaml"] == b"tls: 2\n", secure.get())
run("set", "-l", tls.directory, "app.yaml", "tls", "3", code=1, **is_user(DAEMON))
run("set", "--endpoints", secure.endpoints(), "--prefix", "/fleet/", "--cacert", files[0], "-l", tls.directory, "app.yaml",
    "tls", "3", code=1)
run("set", "--endpoints", secure.endpoints(), "--prefix", "/fleet/", "--cacert", files[0], "--cert", files[1], "--key",
    files[2], "-l", tls.directory, "app.yaml", "tls", "3")
expect("with a given one", secure.get()[b"app.yaml"] == b"tls: 3\n", secure.get())
tls.kill()
