#!/usr/bin/python3
"""Measures how much faster plyfs merges user data than cloud-init does.

    cloud-init.py MERGE_LOOP [ROUNDS]

MERGE_LOOP is the program made from merge_loop.c (ninja bench/merge_loop). Each side merges three parts of 100 KB
in one process. The time includes reading and writing YAML, and not the start of the process. It prints the median
times and their ratio. PyYAML is used as cloud-init uses it, without libyaml. The exit code is 77 if cloud-init is
not installed.
"""

import logging
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

try:
    from cloudinit import handlers, helpers, safeyaml
    from cloudinit.handlers import cloud_config
except ImportError as error:
    print("skipped: cloud-init is not installed (%s)" % error)
    sys.exit(77)

logging.disable(logging.CRITICAL)

SIZE = 100_000
HOW = "dict(recurse_list,recurse_str)+list(append)+str()"


def part(number):
    """Users, packages, files and commands, as in real user data."""
    r = random.Random(number)
    lines = ["#cloud-config", "merge_how: %s" % HOW, "hostname: host-%d" % number]
    sections = {
        "packages": lambda i: ["  - package-%d" % r.randrange(5000)],
        "runcmd": lambda i: ["  - [ sh, -c, 'echo %d > /run/state-%d' ]" % (i, r.randrange(999))],
        "users": lambda i: ["  - name: user%d" % i, "    gecos: User Number %d" % i, "    groups: [adm, sudo, plugdev]",
                            "    lock_passwd: true", "    ssh_authorized_keys:", "      - ssh-ed25519 AAAAC3Nza%040x u@h" % r.getrandbits(160)],
        "write_files": lambda i: ["  - path: /etc/app/conf-%d-%d.ini" % (number, i), "    permissions: '0644'", "    content: |",
                                  "      [section-%d]" % i, "      key = %d" % r.randrange(10**6), "      # a line of text as files have it"],
        "settings": lambda i: ["  group-%d:" % r.randrange(400), "    key-%d: {port: %d, on: %s}" % (i, r.randrange(65536), r.choice(["yes", "no"]))],
    }
    share = SIZE // len(sections)
    for name, entry in sections.items():
        lines.append("%s:" % name)
        i = size = 0
        while size < share:
            new = entry(i)
            size += sum(len(line) + 1 for line in new)
            lines += new
            i += 1
    return "\n".join(lines) + "\n"


def cloud_init_once(handler, parts):
    start = time.perf_counter()
    handler.handle_part(None, handlers.CONTENT_START, None, None, None, None)
    for i, text in enumerate(parts):
        handler.handle_part(None, "text/cloud-config", "part-%d" % i, text, None, {})
    text = safeyaml.dumps(handler.cloud_buf)
    return time.perf_counter() - start, text


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    parts = [part(i) for i in range(3)]
    handler = cloud_config.CloudConfigPartHandler(helpers.Paths({}))
    handler.cloud_fn = None
    theirs = statistics.median(cloud_init_once(handler, parts)[0] for _ in range(rounds))

    with tempfile.TemporaryDirectory() as directory:
        names = []
        for i, text in enumerate(parts):
            names.append(os.path.join(directory, "%d.yaml" % i))
            with open(names[-1], "w", encoding="utf-8") as stream:
                stream.write(text)
        # The two take turns, and the best of three counts: other programs are running as well.
        runs = [[int(subprocess.check_output([sys.argv[1], strategy, str(rounds * 20)] + names, text=True).split()[3]) / 1e9
                 for strategy in ("cloud-init", "deep")] for _ in range(3)]
    ours, deep = map(min, zip(*runs))
    print("three parts of %s bytes" % ", ".join(str(len(text)) for text in parts))
    print("cloud-init %9.2f ms" % (theirs * 1e3))
    print("plyfs      %9.2f ms   %.0f x faster" % (ours * 1e3, theirs / ours))
    print("plyfs deep %9.2f ms   cloud-init costs %.2f x of it" % (deep * 1e3, ours / deep))
    return 0 if theirs / ours >= 20 else 1


if __name__ == "__main__":
    sys.exit(main())
