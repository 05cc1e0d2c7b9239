#!/usr/bin/env python3
"""etcd 3.4 and 3.5 have lost some events. If an event is never sent, the mirror finds the change when it compares all
keys. While a store is away, the mirror asks for it less and less often, at times that are partly random."""
import math
import socket
import sys
import threading
import time

import stores

stores.need_etcd()


class Swallower(stores.Proxy):
    """Passes all data on, except events while it swallows. etcd sends each event as a chunk of its own."""

    is_swallowing, swallowed = False, 0

    def pump(self, source, sink, is_answer):
        try:
            while data := source.recv(65536):
                if is_answer and self.is_swallowing and b'"events"' in data:
                    self.swallowed += 1
                else:
                    sink.sendall(data)
        except OSError:
            pass


cluster = stores.Cluster(size=1).start()
cluster.put("app.yaml", "log: first\n")
proxy = Swallower(cluster.members[0].client)
endpoint = f"http://127.0.0.1:{proxy.port}"
for compare, is_found in ((1, True), (3600, False)):
    mirror = stores.Mirror("etcd", "--endpoints", endpoint, "--prefix", stores.PREFIX, "--compare", str(compare),
                           name=f"compare{compare}").start()
    mirror.equals(cluster)
    time.sleep(0.5)
    proxy.is_swallowing, proxy.swallowed = True, 0
    cluster.put("app.yaml", f"log: compared every {compare} s\n")
    if is_found:
        mirror.equals(cluster)
    else:
        stores.eventually("the event is swallowed", lambda: proxy.swallowed > 0)
        time.sleep(3)
        if mirror.files() == cluster.get():
            sys.exit("failed: without comparing it is not found either")
    if not proxy.swallowed:
        sys.exit("failed: no event was swallowed")
    proxy.is_swallowing = False
    mirror.kill()
cluster.kill()

# No member answers.
listener = socket.create_server(("127.0.0.1", 0))
asked = []


def refuse():
    while True:
        client, _ = listener.accept()
        asked.append(time.monotonic())
        client.close()


threading.Thread(target=refuse, daemon=True).start()


def look_at_pauses(number):
    """Returns what is wrong with them."""
    asked.clear()
    mirror = stores.Mirror("etcd", "--endpoints", f"http://127.0.0.1:{listener.getsockname()[1]}", "--prefix", stores.PREFIX,
                           name=f"away{number}").start()
    time.sleep(10)
    mirror.kill()
    pauses = [later - earlier for earlier, later in zip(asked, asked[1:]) if later - earlier > 0.1]
    print("pauses of", [round(pause, 3) for pause in pauses], "s")
    if not 3 <= len(pauses) <= 6 or any(later < 1.5 * earlier for earlier, later in zip(pauses, pauses[2:])):
        return f"pauses grow: {pauses}"
    # Pauses of 0.5, 1, 2 and 4 s, a quarter longer or shorter.
    if not any(abs(pause / 2 ** round(math.log2(pause)) - 1) > 0.02 for pause in pauses):
        return f"chance has a part: {pauses}"
    return ""


# On a busy machine a process may stand still for a while, and a pause seems to be another.
faults = []
while not faults or faults[-1]:
    if len(faults) == 4:
        sys.exit(f"failed: {faults}")
    faults.append(look_at_pauses(len(faults)))
