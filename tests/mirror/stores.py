"""Shared by the tests of mirrors: a real cluster of etcd on the loopback interface, a mirror, a TCP proxy that cuts
connections, and readers. All of it lives below a fresh directory of /tmp and ends with the test, also if the test
is killed: each started process gets SIGKILL when its parent dies.

PLYFS is the command. LONG=1 makes long steps longer.
"""
import atexit
import base64
import ctypes
import hashlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PLYFS = os.environ["PLYFS"]
IS_LONG = bool(os.environ.get("LONG"))
PREFIX = "/fleet/"
LIBC = ctypes.CDLL(None)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is missing")


def need_etcd():
    need("etcd", "etcdctl")
    need_libcurl()


def need_libcurl():
    if b"built without" in subprocess.run([PLYFS, "mirror", "etcd", "--endpoints", "http://127.0.0.1:1", "--prefix", "x",
                                           "/dev/null/x"], capture_output=True, check=False).stderr:
        skip("this plyfs was built without libcurl")


def check_proposals(words, said, **options):
    """Each command that explain proposes works."""
    if words[0] == "explain" and said.returncode == 0:
        script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "proposals.sh")
        done = subprocess.run(["bash", script, said.stdout], capture_output=True, text=True, check=False, timeout=120,
                              **options)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)


def expect(what, is_so, said=None):
    if not is_so:
        sys.exit(f"failed: {what}: {said}")


def run(*words, code=0, **options):
    """Runs plyfs. Returns all that it has printed."""
    said = subprocess.run([PLYFS, *words], capture_output=True, text=True, check=False, timeout=120, **options)
    expect(" ".join(words), said.returncode == code, said)
    check_proposals(words, said, **options)
    return said.stdout + said.stderr


def die_with_parent():
    LIBC.prctl(1, signal.SIGKILL)


def spawn(arguments, **options):
    return subprocess.Popen(arguments, preexec_fn=die_with_parent, **options)


DIRECTORY = tempfile.mkdtemp(prefix="plyfs-mirror.", dir="/tmp")
ENDINGS = []


@atexit.register
def end():
    for ending in reversed(ENDINGS):
        ending()
    shutil.rmtree(DIRECTORY, ignore_errors=True)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def path(name):
    return os.path.join(DIRECTORY, name)


def eventually(what, is_so, seconds=120):
    """Waits until is_so() is true; if it does not become so, its last value is printed."""
    until = time.monotonic() + seconds
    while True:
        said = is_so()
        if said is True:
            return
        if time.monotonic() > until:
            sys.exit(f"failed: {what}: {said}")
        time.sleep(0.02)


# Ports that the kernel does not choose for connections, so that they are still free when a killed member comes back.
# Tests that run side by side begin at different ports.
ports = iter(range(10_000 + os.getpid() % 1000 * 20, 32_000))


def free_port():
    for port in ports:
        with socket.socket() as sock:
            try:
                sock.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    sys.exit("failed: no port is free")


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


class Member:
    def __init__(self, cluster, number):
        self.cluster, self.number = cluster, number
        self.name, self.data = f"m{number}", path(f"{cluster.name}-m{number}")
        self.client, self.peer = free_port(), free_port()
        self.url = f"{cluster.scheme}://127.0.0.1:{self.client}"
        self.process = None

    def start(self, *more):
        with open(f"{self.data}.log", "ab") as log:
            self.process = spawn([
                "etcd", "--name", self.name, "--data-dir", self.data, "--listen-client-urls", self.url,
                "--advertise-client-urls", self.url, "--listen-peer-urls", self.peer_url(),
                "--initial-advertise-peer-urls", self.peer_url(), "--initial-cluster",
                self.cluster.peers(), "--initial-cluster-token", self.cluster.token, "--heartbeat-interval", "50",
                "--election-timeout", "500", *self.cluster.flags, *more], stdout=log, stderr=log)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def restore(self, snapshot, peers, token):
        """Its data become those of the snapshot, in a cluster of these peers. The caller must start it then."""
        self.kill()
        shutil.rmtree(self.data)
        self.cluster.run("snapshot", "restore", snapshot, "--name", self.name, "--data-dir", self.data, "--initial-cluster",
                         peers, "--initial-cluster-token", token, "--initial-advertise-peer-urls", self.peer_url())

    def peer_url(self):
        return f"http://127.0.0.1:{self.peer}"


class Cluster:
    def __init__(self, name="c", size=3, token="token", scheme="http", flags=(), ctl=()):
        self.name, self.token, self.scheme, self.flags, self.ctl = name, token, scheme, flags, ctl
        self.members = [Member(self, i) for i in range(size)]
        ENDINGS.append(self.kill)

    def peers(self):
        return ",".join(f"{m.name}={m.peer_url()}" for m in self.members)

    def endpoints(self):
        return ",".join(m.url for m in self.members)

    def start(self):
        for member in self.members:
            member.start()
        self.wait()
        return self

    def kill(self):
        for member in self.members:
            member.kill()

    def signal(self, number):
        for member in self.members:
            member.process.send_signal(number)

    def restore(self, snapshot, token):
        """Sets all members back to the snapshot."""
        self.kill()
        for member in self.members:
            member.restore(snapshot, self.peers(), token)
        self.start()

    def wait(self):
        eventually("the cluster starts", lambda: self.run("endpoint", "health", check=False).returncode == 0)

    def run(self, *words, check=True, text=None, endpoints=None):
        environment = dict(os.environ, ETCDCTL_API="3")
        patient = ["--dial-timeout", "30s", "--command-timeout", "60s"] if check else []
        return subprocess.run(["etcdctl", "--endpoints", endpoints or self.endpoints(), *patient, *self.ctl, *words],
                              env=environment, input=text, capture_output=True, check=check)

    def put(self, key, value):
        self.run("put", "--", PREFIX + key, value)

    def delete(self, key, *more):
        self.run("del", *more, "--", PREFIX + key)

    def get(self):
        """Returns {key behind the prefix: value}, both bytes, as etcdctl get --prefix prints them."""
        said = json.loads(self.run("get", "--prefix", PREFIX, "-w", "json").stdout)
        return {base64.b64decode(kv["key"])[len(PREFIX):]: base64.b64decode(kv.get("value", ""))
                for kv in said.get("kvs", [])}

    def revision(self):
        return json.loads(self.run("get", "x", "-w", "json").stdout)["header"]["revision"]

    def leader(self):
        for member in self.members:
            if member.process:
                said = self.run("endpoint", "status", "-w", "json", endpoints=member.url, check=False)
                if said.returncode == 0:
                    status = json.loads(said.stdout)[0]["Status"]
                    if status["leader"] == status["header"]["member_id"]:
                        return member
        return None


class Gateway:
    """A client of its own: etcdctl is too slow to write a hundred times a second."""

    def __init__(self, cluster, timeout_s=60):
        self.cluster, self.connection, self.next, self.timeout_s = cluster, None, 0, timeout_s

    def call(self, where, body):
        if not self.connection:
            member = self.cluster.members[self.next % len(self.cluster.members)]
            self.connection = http.client.HTTPConnection("127.0.0.1", member.client, timeout=self.timeout_s)
        try:
            self.connection.request("POST", f"/v3/{where}", json.dumps(body))
            answer = self.connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise OSError(text)
            return json.loads(text)
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            self.next += 1
            raise

    def write(self, puts, deletes=(), only_at=None):
        """Makes one transaction, and returns its revision. With (key, revision), only if the key was last changed at
        that revision."""
        compare = [{"key": b64(PREFIX + only_at[0]), "target": "MOD", "result": "EQUAL", "mod_revision": str(only_at[1])}
                   ] if only_at else []
        operations = [{"request_put": {"key": b64(PREFIX + key), "value": b64(value)}} for key, value in puts.items()]
        operations += [{"request_delete_range": {"key": b64(PREFIX + key)}} for key in deletes]
        answer = self.call("kv/txn", {"compare": compare, "success": operations})
        if not answer.get("succeeded"):
            raise OSError(f"{only_at} has changed")
        return int(answer["header"]["revision"])

    def revision_of(self, key):
        """Returns the revision that changed the key last; 0: the key is not there."""
        kvs = self.call("kv/range", {"key": b64(PREFIX + key)}).get("kvs", [])
        return int(kvs[0]["mod_revision"]) if kvs else 0


class Mirror:
    def __init__(self, *arguments, name="fleet", wrapper=(), directory=DIRECTORY):
        self.directory = os.path.join(directory, name)
        self.arguments = [*wrapper, PLYFS, "mirror", *arguments, self.directory]
        self.log, self.process = path(f"{name}.log"), None
        ENDINGS.append(self.kill)

    def start(self):
        with open(self.log, "ab") as log:
            self.process = spawn(self.arguments, stdout=log, stderr=log)
        return self

    def kill(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            self.process.wait()
            self.process = None
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as log:
                text = log.read()
            if "Sanitizer" in text or "runtime error" in text:
                print(text, file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)

    def hup(self):
        pid = self.process.pid
        eventually("it has taken over", lambda: self.status().get("pid") == pid)
        self.process.send_signal(signal.SIGHUP)

    def status(self):
        said = subprocess.run([PLYFS, "mirror", "status", "--json", self.directory], capture_output=True, check=False)
        return json.loads(said.stdout) if said.returncode == 0 else {}

    def troubles(self):
        return {trouble["subject"]: trouble["message"] for trouble in self.status().get("troubles", [])}

    def confirm(self):
        subprocess.run([PLYFS, "mirror", "confirm", self.directory], check=True)

    def has_trouble(self, subject, text=""):
        eventually(f"a trouble of {subject}", lambda: text in self.troubles().get(subject, ()) or self.troubles())

    def is_well(self):
        eventually("no trouble is left", lambda: self.troubles() == {} or self.troubles())

    def files(self):
        """Returns {path: content}, both bytes."""
        top = os.fsencode(self.directory)
        return {os.path.relpath(os.path.join(where, name), top): open(os.path.join(where, name), "rb").read()
                for where, _, names in os.walk(top) for name in names}

    def equals(self, cluster):
        """Waits until the mirror has the state of etcdctl."""
        def is_equal():
            wanted, found = cluster.get(), None
            try:
                found = self.files()
            except FileNotFoundError:
                pass
            return wanted == found or f"{wanted} and not {found}; {self.status()}; {open(self.log).read()}"[:3000]
        eventually("the mirror equals the store", is_equal)


class Proxy:
    """Passes a member's bytes on, and can cut in the middle of them."""

    def __init__(self, target):
        self.target, self.cut_after, self.pairs = target, None, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self.pairs.append((client, server))
            threading.Thread(target=self.pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, True), daemon=True).start()

    def pump(self, source, sink, is_answer):
        try:
            while data := source.recv(65536):
                if is_answer and self.cut_after is not None:
                    sink.sendall(data[:self.cut_after])
                    self.cut_after -= len(data)
                    if self.cut_after <= 0:
                        break
                else:
                    sink.sendall(data)
        except OSError:
            pass
        for sock in (source, sink):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self, after=0):
        """Ends each connection after so many bytes more; later connections are passed on."""
        self.cut_after = after
        if not after:
            for pair in self.pairs:
                for sock in pair:
                    try:
                        sock.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
        self.pairs = [] if not after else self.pairs

    def mend(self):
        self.cut_after = None


def checksum(values):
    return hashlib.sha256("".join(f"{key}={values[key]}\n" for key in sorted(values)).encode()).hexdigest()


class Writer(threading.Thread):
    """Writes transactions at the given rate, each with a checksum over all keys. Each transaction requires that the
    one before is the last: a member that was stopped carries out old requests late, which have been given up."""

    def __init__(self, cluster, keys=12, rate=50):
        super().__init__(daemon=True)
        self.gateway, self.rate = Gateway(cluster, 2), rate  # it leaves a member that stands still
        self.values = {f"d{i % 3}/k{i}": "0" for i in range(keys)}
        self.count, self.failures, self.revision, self.is_ending = 0, 0, None, False
        self.random = random.Random(1)

    def write_once(self):
        values = dict(self.values)
        for key in self.random.sample(sorted(values), 4):
            values[key] = str(self.count) * self.random.randint(1, 40)
        # An uncertain transaction may have written its keys or not, so all keys are written.
        puts = values if self.failures or not self.count else {k: v for k, v in values.items() if v != self.values[k]}
        puts = dict(puts, sum=checksum(values))
        try:
            if self.failures or self.revision is None:
                self.revision = self.gateway.revision_of("sum")
            self.revision = self.gateway.write(puts, only_at=("sum", self.revision))
        except (OSError, http.client.HTTPException):
            self.failures += 1
            return
        self.failures, self.values = 0, values
        self.count += 1

    def run(self):
        due = time.monotonic()
        while not self.is_ending:
            self.write_once()
            # Counts from the last due time: a late writer catches up, but not after the store was away.
            due = time.monotonic() + 0.1 if self.failures else due + 1 / self.rate
            time.sleep(max(0.0, due - time.monotonic()))

    def end(self):
        self.is_ending = True
        self.join()
        while True:
            self.write_once()
            if not self.failures:
                return


class Reader(threading.Thread):
    """Reads all files again and again: the files of one tree must have the right checksum."""

    def __init__(self, directory):
        super().__init__(daemon=True)
        self.directory, self.good, self.half, self.is_ending = directory, 0, None, False

    def read_once(self):
        try:
            before = os.readlink(self.directory)
            found = {}
            for where, _, names in os.walk(before):
                for name in names:
                    with open(os.path.join(where, name), encoding="utf-8") as file:
                        found[os.path.relpath(os.path.join(where, name), before)] = file.read()
            if not found or os.readlink(self.directory) != before:
                return
        except FileNotFoundError:
            return
        if found.pop("sum", None) == checksum(found):
            self.good += 1
        else:
            self.half = f"{before}: {found}"

    def run(self):
        while not self.is_ending:
            self.read_once()
            time.sleep(0.003)

    def end(self):
        self.is_ending = True
        self.join()
        if self.half is not None:
            sys.exit(f"failed: half a transaction was read: {self.half}")
        if not self.good:
            sys.exit("failed: nothing was ever read")
