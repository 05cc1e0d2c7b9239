#!/usr/bin/env python3
"""Each key is a file. A key that can't be one is an error of that key alone. Users, passwords and certificates are
used. While the store is away, the last state is served."""
import os
import socket
import subprocess
import sys

import stores
from stores import expect

stores.need_etcd()
cluster = stores.Cluster(size=1).start()


def start(name, *more, where=cluster, **options):
    return stores.Mirror("etcd", "--endpoints", where.endpoints(), "--prefix", "/fleet", *more, name=name, **options)


# The service manager is notified when the first state is there.
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(stores.path("notify"))
os.environ["NOTIFY_SOCKET"] = stores.path("notify")
mirror = start("fleet")
manager.settimeout(120)
gateway = stores.Gateway(cluster)
puts = {f"many/{i}": f"v{i}" for i in range(100)}
gateway.write(dict(puts, **{"app.yaml": "a: 1\n", "sub/deep/b.yaml": b"\0\xff\n", "empty": ""}))
umask = os.umask(0o077)
mirror.start()
os.umask(umask)
said = b""
while b"READY=1" not in said:
    said = manager.recv(4096)
expect("the status line tells the revision", b"STATUS=at " in said, said)
del os.environ["NOTIFY_SOCKET"]
mirror.equals(cluster)
expect("modes", os.stat(f"{mirror.directory}/app.yaml").st_mode & 0o777 == 0o644)

# One key changes: one file is replaced in its place, the others are the same inodes.
place, before = os.readlink(mirror.directory), os.stat(f"{mirror.directory}/empty").st_ino
cluster.put("app.yaml", "a: 2\n")
mirror.equals(cluster)
expect("the link was not turned", os.readlink(mirror.directory) == place)
# A transaction changes: the link is turned.
gateway.write({"app.yaml": "a: 3\n", "new/x": "1"}, ["sub/deep/b.yaml"])
mirror.equals(cluster)
expect("the link was turned", os.readlink(mirror.directory) != place)
modes = [os.stat(name).st_mode & 0o777 for name in (f"{mirror.directory}/many", stores.path(".fleet.mirror/status.json"))]
expect("the umask takes nothing from readers", modes == [0o755, 0o644], modes)
expect("what is the same is the same inode", os.stat(f"{mirror.directory}/empty").st_ino == before)
expect("an empty directory is gone", not os.path.exists(f"{mirror.directory}/sub"))
cluster.delete("new/x")
mirror.equals(cluster)
expect("it is gone with its last key", not os.path.exists(f"{mirror.directory}/new"))
cluster.put("app.yaml", "a: 3\n")
mirror.equals(cluster)

# Keys that can't be files, of all kinds.
bad = ["../up", "a/../b", "./here", "two//slashes", "end/", "", "x" * 256, "nul\0byte", "d/" * 101 + "x", "y/" * 1800]
gateway.write({key: "bad" for key in bad})
gateway.write({"after": "1"})
stores.eventually("the next one is there", lambda: b"after" in mirror.files() or (mirror.status(), open(mirror.log, encoding="utf-8").read()))
found = mirror.files()
expect("none of them is a file", len(found) == len(cluster.get()) - len(bad), found)
troubles = mirror.troubles()
expect("each is a trouble", len(troubles) >= len(bad) - 1 and "key ../up" in troubles, troubles)
gateway.write({}, bad)
stores.eventually("the troubles end with the keys", lambda: mirror.troubles() == {} or mirror.troubles())

# A key that is a directory, too, comes back when it is no longer a directory.
cluster.put("both", "file")
mirror.equals(cluster)
cluster.put("both/inner", "1")
mirror.has_trouble("key both", "keys below it")
stores.eventually("it is a directory", lambda: mirror.files().get(b"both/inner") == b"1" or mirror.files())
cluster.delete("both/inner")
mirror.equals(cluster)
mirror.is_well()

# Values of a megabyte, which are more than one page when everything is read again, and many keys at once.
for number in range(8):
    gateway.write({f"large{number}": "x" * 1000000})
mirror.equals(cluster)
mirror.hup()
for part in range(20):
    gateway.write({f"more/{part}/{i}": str(i) for i in range(100)})
mirror.equals(cluster)
gateway.write({}, [f"large{number}" for number in range(8)])
mirror.equals(cluster)

# The store is away: the last state is served, from the start on.
mirror.kill()
cluster.kill()
os.unlink(mirror.directory)
mirror.start()
stores.eventually("what there was is served", lambda: os.path.exists(f"{mirror.directory}/app.yaml"))
mirror.has_trouble("store", "can't be reached; start etcd, or correct the endpoint (")
expect("it has all of it", len(mirror.files()) > 2000)
second = stores.subprocess.run(mirror.arguments, capture_output=True, text=True, check=False, timeout=120)
expect("a second one is refused", second.returncode == 1 and "is running" in second.stderr, second)
mirror.kill()

# The mirror is asked to compare while it still takes over its last state.
mirror.start()
lock = f"{stores.DIRECTORY}/.fleet.mirror/lock"


def has_lock():
    files = f"/proc/{mirror.process.pid}/fd"
    try:
        return any(os.readlink(f"{files}/{name}") == lock for name in os.listdir(files))
    except FileNotFoundError:
        return False


while not has_lock():
    pass
mirror.process.send_signal(stores.signal.SIGHUP)
stores.time.sleep(0.3)
expect("it lives", mirror.process.poll() is None, mirror.process.returncode)
cluster.members[0].start()
cluster.wait()
mirror.equals(cluster)
mirror.is_well()
mirror.kill()

# Files that exist already are never touched.
os.mkdir(stores.path("mine"))
open(stores.path("mine/file"), "w").close()
os.mkdir(stores.path("void"))
refused = subprocess.run(start("mine").arguments, capture_output=True, text=True, check=False, timeout=120)
expect("a directory with files is refused", refused.returncode == 1 and "exists already" in refused.stderr, refused)
void = start("void", "--mode", "0640").start()
void.equals(cluster)
expect("the mode is as asked for", os.stat(f"{void.directory}/app.yaml").st_mode & 0o777 == 0o640)
void.kill()
other = subprocess.run([*start("void").arguments[:-1], "--prefix", "/other/", void.directory], capture_output=True,
                       text=True, check=False, timeout=120)
expect("another prefix is refused", other.returncode == 1 and "/fleet/" in other.stderr, other)

# User and password; a token that the member no longer knows is replaced.
for words in (("user", "add", "root:secret"), ("user", "grant-role", "root", "root"), ("user", "add", "web:pass"),
              ("role", "add", "reader"), ("role", "grant-permission", "reader", "read", "--prefix=true", "/fleet/"),
              ("user", "grant-role", "web", "reader"), ("auth", "enable")):
    cluster.run(*words)
cluster.ctl = ("--user", "root:secret")
with open(stores.path("user"), "w", encoding="utf-8") as file:
    file.write("web:wrong\n")
web = start("web", "--user-file", stores.path("user")).start()
web.has_trouble("store", "auth")
with open(stores.path("user"), "w", encoding="utf-8") as file:
    file.write("web:pass\n")
web.equals(cluster)
cluster.kill()
cluster.members[0].start()
cluster.wait()
cluster.put("app.yaml", "a: with a new token\n")
web.equals(cluster)
web.is_well()
web.kill()
cluster.kill()

# TLS with client certificates.
if not stores.shutil.which("openssl"):
    sys.exit(0)


def openssl(*words):
    subprocess.run(["openssl", *words], cwd=stores.DIRECTORY, check=True, capture_output=True)


def certify(name, days="2"):
    with open(stores.path("ext"), "w", encoding="utf-8") as ext:
        ext.write("subjectAltName=IP:127.0.0.1\n")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", days,
            "-extfile", "ext", "-out", f"{name}.pem")


openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=ca")
certify("server")
certify("client")
files = [stores.path(name) for name in ("ca.pem", "client.pem", "client.key")]
secure = stores.Cluster("tls", 1, scheme="https", flags=(
    "--cert-file", stores.path("server.pem"), "--key-file", stores.path("server.key"), "--client-cert-auth",
    "--trusted-ca-file", files[0]), ctl=("--cacert", files[0], "--cert", files[1], "--key", files[2])).start()
secure.put("app.yaml", "tls: 1\n")
bare = start("bare", "--cacert", files[0], where=secure).start()
bare.has_trouble("store")
bare.kill()
tls = start("tls", "--cacert", files[0], "--cert", files[1], "--key", files[2], where=secure).start()
tls.equals(secure)
secure.put("app.yaml", "tls: 2\n")
tls.equals(secure)
tls.kill()
# The certificate has expired: that is reported, and the last state stays.
certify("client", "-1")
tls.start()
tls.has_trouble("store")
expect("what there was stays", tls.files() == {b"app.yaml": b"tls: 2\n"}, tls.files())
certify("client")
tls.equals(secure)
tls.is_well()

# With users, the gateway refuses a certificate that has a common name, and the mirror reports it.
for words in (("user", "add", "root:secret"), ("user", "grant-role", "root", "root"), ("auth", "enable")):
    secure.run(*words)
tls.kill()
tls.start()
tls.has_trouble("store", "CommonName of client")
tls.kill()

# A token that etcd signs is good until a user or role changes; then the mirror logs in again.
openssl("genrsa", "-out", "token.key", "2048")
openssl("rsa", "-in", "token.key", "-pubout", "-out", "token.pub")
signing = stores.Cluster("signing", 1, flags=(
    "--auth-token",
    f"jwt,pub-key={stores.path('token.pub')},priv-key={stores.path('token.key')},sign-method=RS256,ttl=24h")).start()
for words in (("user", "add", "root:secret"), ("user", "grant-role", "root", "root"), ("auth", "enable")):
    signing.run(*words)
signing.ctl = ("--user", "root:secret")
signing.put("app.yaml", "a: 1\n")
with open(stores.path("user"), "w", encoding="utf-8") as file:
    file.write("root:secret\n")
logged_in = start("logged-in", "--user-file", stores.path("user"), where=signing).start()
logged_in.equals(signing)
signing.run("user", "add", "another:pass")
# A key that is not mirrored: only by reading all keys again the mirror learns of this revision.
signing.run("put", "/elsewhere", "x")
logged_in.hup()
stores.eventually("all keys are read", lambda: logged_in.status()["revision"] == str(signing.revision()) or
                  logged_in.status())
expect("no request is refused", not logged_in.troubles(), logged_in.troubles())
signing.put("app.yaml", "a: 2\n")
logged_in.equals(signing)
