#!/usr/bin/env python3
"""A member of etcd may answer anything. Pages that lead nowhere, or are another cluster's, make no state and are
reported. If a watch ends again and again, there is a pause before the next one. Events that come while the mirror
asks whether the member is alive are shown at once."""
import base64
import json
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import stores

stores.need_libcurl()


class Gateway(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # pylint: disable=invalid-name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        if self.path in ("/v3/kv/range", "/v3/auth/authenticate"):
            member = self.server.member
            text = json.dumps(member.range(body) if self.path == "/v3/kv/range" else member.login()).encode()
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for message in self.server.member.watch():
                text = json.dumps({"result": message}).encode() + b"\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Member:
    """An honest member; the others below lie."""

    def __init__(self):
        self.keys, self.revision, self.reads, self.news = {"app.yaml": b"a: 1\n"}, 7, 0, queue.Queue()
        server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
        server.member, server.daemon_threads = self, True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"

    def header(self, cluster=77):
        return {"cluster_id": str(cluster), "revision": str(self.revision), "raft_term": "2"}

    def kv(self, name):
        return {"key": stores.b64(stores.PREFIX + name), "value": stores.b64(self.keys[name]),
                "mod_revision": str(self.revision)}

    def range(self, body):
        if body.get("keys_only"):
            self.probed()
            return {"header": self.header()}
        self.reads += 1
        return self.page(base64.b64decode(body["key"]).decode())

    def page(self, _):
        return {"header": self.header(), "kvs": [self.kv(name) for name in sorted(self.keys)]}

    def probed(self):
        pass

    def login(self):
        return {"header": self.header(), "token": "short"}

    def watch(self):
        yield {"header": self.header(), "created": True}
        while True:
            yield self.news.get()


def mirror_of(member, name, *more):
    return stores.Mirror("etcd", "--endpoints", member.url, "--prefix", stores.PREFIX, *more, name=name).start()


def is_told(member, text):
    """Checks that the lie is reported and made no state, and that an honest member then does."""
    mirror = mirror_of(member, type(member).__name__)
    mirror.has_trouble("store", text)
    if mirror.status()["revision"]:
        sys.exit(f"failed: there is a state: {mirror.status()}")
    member.page = lambda _: Member.page(member, _)
    stores.eventually("an honest answer is taken", lambda: mirror.status().get("revision") == "7" or mirror.status())
    mirror.is_well()
    mirror.kill()


class Circle(Member):
    def page(self, _):
        return {"header": self.header(), "kvs": [self.kv("app.yaml")], "more": True}


class Hole(Member):
    def page(self, _):
        return {"header": self.header(), "more": True}


class Other(Member):
    """Two clusters are behind its address."""

    def page(self, start):
        self.keys["b.yaml"] = b"b: 1\n"
        is_first = start == stores.PREFIX
        return {"header": self.header(77 if is_first else 78), "kvs": [self.kv("app.yaml" if is_first else "b.yaml")],
                "more": is_first}


is_told(Circle(), "do not go on")
is_told(Hole(), "do not go on")
is_told(Other(), "another cluster")


class Verbose(Member):
    """Its token is longer than a server accepts."""

    def login(self):
        return {"header": self.header(), "token": "t" * 5000}


with open(stores.path("user"), "w", encoding="utf-8") as file:
    file.write("web:pass\n")
verbose = Verbose()
wordy = mirror_of(verbose, "wordy", "--user-file", stores.path("user"))
wordy.has_trouble("store", "gives no usable token")
verbose.login = lambda: Member.login(verbose)
stores.eventually("a short token is taken", lambda: wordy.status().get("revision") == "7" or wordy.status())
wordy.is_well()
wordy.kill()


class Fickle(Member):
    """Its watches end at once, as for a client that has missed a compaction."""

    def watch(self):
        yield {"header": self.header(), "created": True}
        yield {"header": self.header(), "canceled": True, "compact_revision": "7"}


class Torn(Member):
    """Its watches are another cluster's."""

    def watch(self):
        yield {"header": self.header(78), "created": True}
        yield self.news.get()


for kind in Fickle, Torn:
    bad = kind()
    restless = mirror_of(bad, kind.__name__)
    stores.eventually("there is a state", lambda: restless.status().get("revision") == "7" or restless.status())  # pylint: disable=cell-var-from-loop
    before = bad.reads
    time.sleep(4)
    if bad.reads - before > 12:
        sys.exit(f"failed: {kind.__name__}: all was read {bad.reads - before} times in 4 s")
    restless.kill()


class Busy(Member):
    """A key changes just while the mirror asks whether the member is alive."""
    changed_at = 0

    def probed(self):
        if self.changed_at or not self.reads:
            return
        self.changed_at = time.monotonic()
        self.revision, self.keys["app.yaml"] = 8, b"a: 2\n"
        self.news.put({"header": self.header(), "events": [{"kv": self.kv("app.yaml")}]})
        time.sleep(0.3)


busy = Busy()
mirror = mirror_of(busy, "busy")
stores.eventually("the member is asked", lambda: busy.changed_at > 0 or mirror.status())
stores.eventually("what has changed is shown at once", lambda: mirror.files() == {b"app.yaml": b"a: 2\n"} or mirror.files(), 6)
mirror.kill()
