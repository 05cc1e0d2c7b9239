#!/usr/bin/env python3
"""Random changes of every kind in three layers of a mount, and readers meanwhile.

    chaos.py [--seed N] [--seconds N | --hours N | --rounds N] [--operations N] [--readers N] [--kill | --take-over | --faulty TOOL]
             [--render] PLYFS

Run it in an empty directory. In a round, a process for each layer changes it, plyfs.yaml changes, the daemon is
stopped and goes on, and the kernel drops its caches. Meanwhile readers check that everything they see is whole
(readers.py). Then it is quiet, and the mount must show what a mount that is made now shows, what `plyfs render`
writes, and what the layers give by a second, naive implementation (model.py). In every other round sources are
broken. They are mended at its end, and all is compared once more. The same seed makes the same changes, in the
same order in each layer.

With --kill the daemon is killed with SIGKILL and started again at random moments, or its mount is taken away by
`umount -l` and made anew. Readers then get errors, but never a wrong byte, and all files that were open stay
whole.

With --take-over, another process of plyfs takes the mount over at random moments: by SIGUSR2, or as systemd restarts
a service, in which no process serves until all of the old daemon have ended. No reader notices.

With --faulty, the layer mid is shown by the FUSE file system TOOL (tests/mount/faulty.c), which answers errors, or
nothing for some seconds, at random while the layers change. Readers may then get errors, too.

With --render, `plyfs render --watch` keeps a tree of files meanwhile, which must become what the mount shows.

With --hours, the memory, descriptors and threads of the daemon must stop growing after a while. They are printed
every five minutes, with the numbers of changes and of compared files.
"""
import argparse
import ctypes
import errno
import json
import multiprocessing
import faulthandler
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import yaml

import changes
import evidence
import model
import readers
import trees

LAYERS = {name: f"{name}/layer" for name in ("low", "mid", "high")}
JOURNAL = "journal"
PATIENT = "patient.yaml"  # the same settings for what the mount is compared with
SETTLE_TRIES = 20  # half a second each
PATIENCE_S = 60  # the least, for a mount to become what a fresh one is
SETTINGS_PAUSE_S = 10  # RELOAD_PAUSE_MAX_MS: settings that failed, as a layer did, are read again after it
FRESH_TIMES = 30  # then the mount may take so many times as long as a fresh one
WARM_UP = 20  # rounds in which memory and descriptors of the daemon may grow
GROWTH_KIB = 32 << 10  # a large file or two, as chance will have it
CACHE_MIB = 8  # less than the default, as the cache by itself may be 64 MiB
GROWTH_DESCRIPTORS = 16
TELL_S = 300
HANGS_S = 300  # a daemon that gets SIGTERM

FSPICK, FSCONFIG, RECONFIGURE = 433, 431, 7  # system calls, and a command of the second
libc = ctypes.CDLL(None, use_errno=True)

SAME_IN_A_TREE_OF_FILES = ["kind", "mode", "uid", "gid", "bytes", "target"]


class Failed(Exception):
    pass


def is_sanitized(program):
    with open(program, "rb") as file:
        return re.search(b"lib[at]san|AddressSanitizer|ThreadSanitizer", file.read()) is not None


# ---- Settings

def random_settings(chance, coherence, faulty):
    pick = chance.choice
    by_name = {"by": ["kind", "metadata.name"]}
    return {
        "follow": {name for name in LAYERS if chance.random() < 0.4},
        "options": {"header": False, "on_error": pick(["last-good", "last-good", "fail"]),
                    "coherence": coherence, "cache_mib": CACHE_MIB,
                    **({"poll_interval": "100ms", "answer_timeout": f"{faulty.answer_s}s"} if faulty else {})},
        "rules": [
            {"match": "**/a.yaml", "strategy": "deep", "lists": pick(["replace", "append", "prepend", "unique"])},
            {"match": "**/b.yaml", "strategy": "deep", "dropins": pick([False, True])},
            {"match": "**/c.json", "strategy": pick(["deep", "cfengine", "last"])},
            {"match": "**/s.yaml", "strategy": "salt"},
            {"match": "**/g.yaml", "strategy": "cfengine"},
            {"match": "**/u.yaml", "strategy": "cloud-init"},
            {"match": "**/h.yaml", "strategy": "pillar"},
            {"match": "**/m.list", "strategy": pick(["lines", "lines", "concat"])},
            {"match": "**/n.cat", "strategy": pick(["concat", "last", "lines"])},
            {"match": "**/o.first", "strategy": pick(["first", "last"])},
            {"match": "**/k.docs", "strategy": "deep", "format": "yaml", "documents": pick([None, by_name])},
            {"match": "**/q.docs", "strategy": "deep", "format": "yaml",
             "documents": pick(["position", "merge", by_name])},
        ],
        "files": [
            {"path": "all.yaml", "from": ["a.yaml", "conf.d/*.yaml"], "strategy": "deep"},
            {"path": "all.docs", "from": ["k.docs", "d/k.docs"], "strategy": "deep", "format": "yaml", "documents": by_name},
            {"path": "all.cat", "from": pick([["*.cat", "d/*.cat"], ["d/*.list", "n.cat"]]), "strategy": "concat"},
        ],
    }


def write_settings(settings, paths, name="plyfs.yaml", **options):
    def rule_of(rule):
        options = {key: rule[key] for key in ("lists", "documents") if rule.get(key)}
        rule = {key: value for key, value in rule.items() if key not in ("lists", "documents")}
        return {**rule, "options": options} if options else rule

    text = yaml.dump({
        "layers": [{"name": name, "path": top, "follow": name in settings["follow"]} for name, top in paths.items()],
        "rules": [rule_of(rule) for rule in settings["rules"]],
        "files": [rule_of(virtual) for virtual in settings["files"]],
        "options": {**settings["options"], **options},
    })
    with open(f"{name}~", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(f"{name}~", name)


# ---- The daemon

class Manager:
    """A service manager, which keeps the mount of a daemon that has ended (sd_notify(3), sd_listen_fds(3))."""

    def __init__(self, place):
        self.environment = dict(os.environ, NOTIFY_SOCKET=os.path.abspath(place))
        self.stored = None
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(place)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            text, fds, _, _ = socket.recv_fds(self.socket, 4096, 1)
            if text.startswith(b"FDSTORE=1"):
                self.stored = fds.pop()
            for fd in fds:
                os.close(fd)

    def start(self, command, **streams):
        if self.stored is None:
            return subprocess.Popen(command, env=self.environment, **streams)
        fd, self.stored = self.stored, None
        script = f'LISTEN_PID=$$ exec "$@" 3<&{fd} {fd}<&-'
        listening = dict(self.environment, LISTEN_FDS="1", LISTEN_FDNAMES="mount")
        process = subprocess.Popen(["bash", "-c", script, "bash", *command], env=listening, pass_fds=[fd], **streams)
        os.close(fd)
        return process


class Mount:
    def __init__(self, plyfs, mountpoint, log, settings="plyfs.yaml", manager=None):
        try:
            os.mkdir(mountpoint)
        except FileExistsError:
            pass  # It may be a dead mount, which makedirs() takes for no directory.
        self.mountpoint = mountpoint
        self.log = log
        self.manager = manager
        self.command = [plyfs, "mount", "-f", "-c", settings, mountpoint]
        self.start()

    def start(self):
        with open(self.log, "ab") as file:
            self.process = (self.manager.start if self.manager else subprocess.Popen)(self.command, stdout=file, stderr=file)
        self.await_service()

    def await_service(self):
        end = time.monotonic() + 300  # a busy machine is slow
        while not os.path.exists(f"{self.mountpoint}/.plyfs/status"):
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed(f"plyfs does not mount {self.mountpoint}")
            time.sleep(0.01)

    def take_over(self):
        """The new program has 10 s for its answer: that can be too little on a busy machine, and it is tried again."""
        for _ in range(4):
            found = self.try_take_over()
            if found.get("error") != "the new program did not answer in time":
                break
        if found.get("error"):
            raise Failed(f"the mount is not taken over: {found}")

    def try_take_over(self):
        before = self.status().get("take_over", {}).get("tried", 0)
        self.process.send_signal(signal.SIGUSR2)
        end = time.monotonic() + 60
        while True:
            found = self.status().get("take_over", {})
            if found.get("tried", 0) > before:
                return found
            if time.monotonic() > end:
                raise Failed("nobody takes the mount over")
            time.sleep(0.01)

    def restart(self):
        """As `systemctl restart` with KillMode=control-group: first all processes of the old daemon must end."""
        old = self.processes()
        self.process.send_signal(signal.SIGUSR1)
        if self.process.wait(60) != 0:
            raise Failed(f"plyfs does not leave the mount, but ends with {self.process.returncode}")
        end = time.monotonic() + 60
        while any(os.path.exists(f"/proc/{pid}") for pid in old):
            if time.monotonic() > end:
                raise Failed("a process of plyfs waits for the mount that it has left")
            time.sleep(0.005)
        self.start()

    def status(self):
        with open(f"{self.mountpoint}/.plyfs/status", encoding="utf-8") as file:
            return json.load(file)

    def forget(self):
        """The kernel drops all names that are not open, as when memory is short, but of this mount alone."""
        file = libc.syscall(FSPICK, -100, os.fsencode(self.mountpoint), 1)
        if file >= 0:
            libc.syscall(FSCONFIG, file, RECONFIGURE, None, None, 0)
            os.close(file)

    def end(self):
        # A change may be under way just now: then the mount is busy for a moment.
        end = time.monotonic() + 60
        while subprocess.run(["umount", self.mountpoint], check=time.monotonic() > end).returncode:
            time.sleep(0.05)
        self.wait()

    def wait(self):
        if self.process.wait(60) != 0:
            raise Failed(f"plyfs ended with {self.process.returncode}: {self.said()}")

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def processes(self):
        found = [self.process.pid]
        for pid in found:
            try:
                with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
                    found += map(int, file.read().split())
            except (FileNotFoundError, ProcessLookupError):
                pass  # a worker for one job
        return found

    def held(self):
        """Returns (KiB, descriptors, threads)."""
        memory = descriptors = threads = 0
        for pid in self.processes():
            try:
                with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                    fields = dict(line.split(":", 1) for line in file)
                with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
                    pss = int(re.search(r"^Pss: +(\d+)", file.read(), re.M)[1])
                held = len(os.listdir(f"/proc/{pid}/fd"))
            except (FileNotFoundError, ProcessLookupError):
                continue  # a worker for one job
            memory += pss  # not VmRSS: a worker shares the pages that the daemon had when it was forked
            threads += int(fields["Threads"])
            descriptors += held
        return memory, descriptors, threads


class Faulty:
    """A layer's file system that fails: FUSE, which shows mid/layer as mid/shown."""

    shown = "mid/shown"
    operations = ["all", "getattr", "readdir", "open", "read", "readlink"]
    errors = [errno.EIO, errno.EACCES, errno.ESTALE]

    def __init__(self, tool, seed, answer_s):
        self.answer_s = answer_s  # how long plyfs waits
        self.chance = random.Random(seed)
        os.makedirs(self.shown)
        self.control("")
        self.process = subprocess.Popen([os.path.abspath(tool), LAYERS["mid"], "control", self.shown])
        end = time.monotonic() + 60
        while not os.path.ismount(self.shown):
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed(f"{tool} does not mount {self.shown}")
            time.sleep(0.01)

    def control(self, line):
        with open("control~", "w", encoding="utf-8") as file:
            file.write(line)
        os.rename("control~", "control")

    def fail(self):
        """Begins a fault, ends it, or answers nothing for a while. Returns which, for the journal."""
        roll = self.chance.random()
        if roll < 0.3:
            self.control("")
            return "fault ends"
        if roll < 0.6:
            line = f"{self.chance.choice(self.operations)} {self.chance.choice(self.errors)}"
            self.control(line)
            return f"fault {line}"
        # Longer than plyfs waits, or shorter.
        seconds = self.chance.choice([0.05, 0.3, 1.5 * self.answer_s, self.answer_s + 2])
        if self.chance.random() < 0.5:
            # At one kind of operation: a silence that begins at a random moment seldom begins with a read.
            line = f"slow-{self.chance.choice(self.operations[1:])} {seconds * 1000:.0f}"
            self.control(line)
            time.sleep(seconds)
            self.control("")
            return line
        os.kill(self.process.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(self.process.pid, signal.SIGCONT)
        return f"silence {seconds}"

    def mend(self):
        self.control("")
        os.kill(self.process.pid, signal.SIGCONT)

    def end(self):
        subprocess.run(["umount", self.shown], check=True)
        self.process.kill()  # another program's mount namespace may still have the file system
        self.process.wait(60)


class Growth:
    """The memory, descriptors and threads of the daemon at the end of each round. Their maxima must come early."""

    def __init__(self, chaos):
        self.chaos = chaos
        self.most = self.last = None
        self.rounds = 0

    def growth(self):
        return (now - then for now, then in zip(self.last, self.most))

    def take(self):
        self.last = self.chaos.mount.held()
        self.rounds += 1
        if self.most is None or self.rounds <= WARM_UP:
            self.most = tuple(map(max, self.most or self.last, self.last))
            return
        memory, descriptors, threads = self.growth()
        # The memory of a large merge is freed a moment later. A worker that was just forked still has the daemon's
        # descriptors.
        for _ in range(SETTLE_TRIES):
            if memory <= GROWTH_KIB + self.most[0] // 4 and descriptors <= GROWTH_DESCRIPTORS and threads <= 2:
                break
            time.sleep(0.5)
            self.last = self.chaos.mount.held()
            memory, descriptors, threads = self.growth()
        if memory > GROWTH_KIB + self.most[0] // 4 and not is_sanitized(self.chaos.arguments.plyfs):
            raise Failed(f"plyfs has {self.last[0]} KiB, and had {self.most[0]} when it was warm")
        if descriptors > GROWTH_DESCRIPTORS or threads > 2:
            raise Failed(f"plyfs has {self.last[1:]} descriptors and threads, and had {self.most[1:]} when it was warm")


# ---- Rounds

class Chaos:
    def __init__(self, arguments):
        self.arguments = arguments
        self.chance = random.Random(f"{arguments.seed} settings")
        self.may_break = multiprocessing.Value("b", False)
        self.context = multiprocessing.get_context("fork")
        self.coherence = self.chance.choice(["cached", "cached", "cached", "strict"])
        os.chmod(".", 0o755)  # links lead past it, and a reader that it denies is denied by the sources that they show
        for top in LAYERS.values():
            os.makedirs(top)
        self.paths = dict(LAYERS)  # as plyfs.yaml has them
        self.faulty = None
        if arguments.faulty:
            # With sanitizers a layer that answers may be as slow as one that does not.
            answer_s = 4 if is_sanitized(arguments.plyfs) else 1
            self.faulty = Faulty(arguments.faulty, f"{arguments.seed} faults", answer_s)
            self.paths["mid"] = self.faulty.shown
        self.settings = random_settings(self.chance, self.coherence, self.faulty)
        write_settings(self.settings, self.paths)
        open(JOURNAL, "w").close()
        self.mount = Mount(arguments.plyfs, "mnt", "log", manager=Manager("notify") if arguments.take_over else None)
        self.left = []  # taken away by `umount -l`; each ends with its last reader
        self.growth = Growth(self)
        self.patience = PATIENCE_S
        self.changed = self.compared = 0  # changes made, and files compared with those of a fresh mount
        self.begin = self.told = time.monotonic()
        self.live = None
        if arguments.render:
            with open("log-live", "ab") as log:
                self.live = subprocess.Popen([arguments.plyfs, "render", "-w", "-c", "plyfs.yaml", "live"], stdout=log, stderr=log)
        self.start_readers()

    def start_readers(self):
        self.end = self.context.Event()
        self.readers = []
        for number in range(self.arguments.readers):
            seed = f"{self.arguments.seed} reader {number}"
            self.start_reader(lambda seed=seed: readers.Reader("mnt", seed, self.may_break, JOURNAL, self.arguments.kill, self.faulty), f"failure{number}")

    def start_reader(self, make, failure, end=None):
        process = self.context.Process(target=readers.run, args=(make, end or self.end, failure))
        process.start()
        self.readers.append((process, failure))
        return process

    def check_readers(self):
        for _, failure in self.readers:
            if os.path.exists(failure):
                with open(failure, encoding="utf-8") as file:
                    what = file.read()
                path = re.match(r"(?:\w+ )?([\w.+/-]+)", what)
                self.fail(what, [f"{path.group(1)}: see above"] if path else [])

    def join(self, processes, what):
        end = time.monotonic() + HANGS_S
        while any(process.is_alive() for process in processes):
            self.check_readers()
            if time.monotonic() > end:
                for process in processes:
                    os.kill(process.pid, signal.SIGUSR1)  # shows where it is
                time.sleep(1)
                raise Failed(f"{what} hangs")
            time.sleep(0.02)
        if any(process.exitcode for process in processes):
            raise Failed(f"{what} failed: {[process.exitcode for process in processes]}")

    def changers(self, number):
        return [changes.Changer(top, name, f"{self.arguments.seed} {number}", os.path.abspath(f"{name}/outside"), JOURNAL, int(number * 100000))
                for name, top in LAYERS.items()]

    def note(self, what):
        with open(JOURNAL, "a", encoding="utf-8") as file:
            file.write(f"{time.monotonic():.4f} {what}\n")

    def change(self, number, without):
        """Runs all layers at once, and everything else that happens to a mount meanwhile."""
        # The FUSE file system keeps showing the directory that it was started with. And a daemon can't be started while
        # a layer is away.
        processes = [self.context.Process(target=changes.change, args=(
            changer, self.arguments.operations,
            (*without, "layer") if self.arguments.take_over or (self.faulty and changer.name == "mid") else without))
            for changer in self.changers(number)]
        for process in processes:
            process.start()
        while any(process.is_alive() for process in processes):
            self.check_readers()
            time.sleep(0.1 + self.chance.random() * 0.3)
            roll = self.chance.random()
            if roll < 0.15:
                self.settings = random_settings(self.chance, self.coherence, self.faulty)
                write_settings(self.settings, self.paths)
                self.note(f"settings {self.settings}")
            elif roll < 0.25:
                self.note("stop")
                os.kill(self.mount.process.pid, signal.SIGSTOP)
                time.sleep(self.chance.random() * 0.3)
                os.kill(self.mount.process.pid, signal.SIGCONT)
            elif roll < 0.45:
                self.note("forget")
                self.mount.forget()
            elif self.arguments.kill:
                self.restart(roll < 0.75)
            elif self.arguments.take_over:
                self.note("take over" if roll < 0.7 else "restart")
                (self.mount.take_over if roll < 0.7 else self.mount.restart)()
            elif self.faulty:
                self.note(self.faulty.fail())
        if self.faulty:
            self.faulty.mend()
        self.join(processes, "who changes a layer")

    def restart(self, by_kill):
        """The daemon dies, and another clears its mount away; or its mount is taken away from all its users."""
        self.note("kill" if by_kill else "umount -l")
        if by_kill:
            self.mount.process.kill()
            self.mount.process.wait()
        else:
            subprocess.run(["umount", "-l", "mnt"], check=True)
            self.left.append(self.mount)
        # A layer may be away at this moment (change_layer): then it is missing at the start.
        for _ in range(50):
            try:
                self.mount = Mount(self.arguments.plyfs, "mnt", "log")
                return
            except Failed:
                if all(os.path.isdir(top) for top in LAYERS.values()):
                    time.sleep(0.1)
        self.mount = Mount(self.arguments.plyfs, "mnt", "log")

    def mend(self, number):
        processes = [self.context.Process(target=changer.mend) for changer in self.changers(number + 0.5)]
        for process in processes:
            process.start()
        self.join(processes, "who mends a layer")

    def round(self, number):
        os.replace(JOURNAL, JOURNAL + ".old")
        open(JOURNAL, "w").close()
        breaks = number % 2 == 1
        self.may_break.value = breaks or self.faulty is not None
        end = self.context.Event()
        watchers = []
        # A strict lookup shows a directory before it can be published, and watchers get no event.
        if self.coherence == "cached" and not self.arguments.kill:
            watchers = [self.start_reader(lambda: readers.Watcher("mnt"), "failure-watcher", end)]
        self.change(number, () if breaks else ("break",))
        self.compare()
        if breaks:
            self.mend(number)
            self.compare()
            self.check_no_trouble()
        end.set()
        self.join(watchers, "the watcher")
        self.readers = self.readers[:self.arguments.readers]
        self.check_readers()
        self.growth.take()
        with open(JOURNAL, encoding="utf-8") as file:
            self.changed += sum(line.split()[1] in LAYERS for line in file)

    # ---- Comparing

    def fail(self, what, found):
        """`found` is the list of differences, each with its path first."""
        paths = [line.split(":", 1)[0] for line in found[:5]]
        about = [evidence.about(path, LAYERS.values(), self.mount.mountpoint) for path in paths]
        raise Failed("\n".join([f"{what}:", *found[:20], f"settings: {self.settings}", *about, evidence.journal(JOURNAL, paths),
                                evidence.journal(JOURNAL + ".old", paths)]))

    def eventually(self, differences, what):
        end = time.monotonic() + self.patience
        while True:
            try:
                found = differences()
            except OSError as error:  # it was listed a moment ago
                found = [f"{error.filename}: {error.strerror}"]
            if not found:
                self.note(f"not: {what}")
                return
            self.check_readers()
            if time.monotonic() > end:
                self.fail(what, found)
            time.sleep(0.1)

    def compare(self):
        # A layer that answers late, on a busy machine, must not count as silent here.
        write_settings(self.settings, self.paths, PATIENT, answer_timeout="1m")
        begin = time.monotonic()
        fresh = Mount(self.arguments.plyfs, "fresh", "log-fresh", PATIENT)
        now = trees.read("fresh")
        # A busy machine, and a sanitizer, make the fresh mount slow, too.
        self.patience = max(PATIENCE_S, SETTINGS_PAUSE_S + FRESH_TIMES * (time.monotonic() - begin))
        self.compared += len(now)
        self.eventually(lambda: trees.differences(trees.read("mnt"), now), "the mount differs from a fresh one")
        fresh.end()
        if self.live:
            self.eventually(lambda: trees.differences(trees.read("live", False), now, SAME_IN_A_TREE_OF_FILES),
                            "what `plyfs render --watch` keeps differs from a mount")
        self.compare_rendered(now)
        self.compare_model(now)

    def compare_rendered(self, now):
        shutil.rmtree("rendered", ignore_errors=True)
        done = subprocess.run([self.arguments.plyfs, "render", "-c", PATIENT, "rendered"], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise Failed(f"plyfs render: {done.stderr}")
        found = trees.differences(trees.read("rendered", False), now, SAME_IN_A_TREE_OF_FILES)
        if found:
            print(f"plyfs render ended with {done.returncode}, and said: {done.stderr}", file=sys.stderr)
            self.fail("what is rendered differs from a mount", found)

    def compare_model(self, now):
        shown = model.show(self.settings, list(LAYERS.items()))
        found = [line for path in sorted(shown.keys() | now.keys()) if not trees.is_circle(path)
                 for line in [model.difference(path, shown.get(path), now.get(path))] if line]
        if found:
            self.fail("the mount differs from the model", found)

    def check_no_trouble(self):
        self.eventually(lambda: [f"{trouble['path']}: {trouble}" for trouble in self.mount.status()["troubles"]], "troubles stay")

    # ----

    def run(self):
        arguments = self.arguments
        end = time.monotonic() + (arguments.hours * 3600 if arguments.hours else arguments.seconds)
        number = 0
        while number < arguments.rounds if arguments.rounds else time.monotonic() < end:
            self.number = number
            self.round(number)
            number += 1
            if arguments.hours and time.monotonic() > self.told + TELL_S:
                self.told = time.monotonic()
                self.tell(number)
        self.end.set()
        self.join([process for process, _ in self.readers], "a reader")
        self.check_readers()
        self.tell(number)
        print(f"KiB, descriptors, threads: at most {self.growth.most} when warm")
        self.mount.end()
        for mount in self.left:
            mount.wait()
        if self.live:
            self.live.terminate()
            if self.live.wait(60) not in (0, 1):
                raise Failed(f"plyfs render --watch ended with {self.live.returncode}")
        if self.faulty:
            self.faulty.end()

    def tell(self, rounds):
        print(f"{(time.monotonic() - self.begin) / 60:.1f} min: {rounds} rounds, {self.changed} changes, {self.compared} files "
              f"compared; KiB, descriptors, threads: {self.growth.last}", flush=True)

    def stop(self):
        if self.faulty and self.faulty.process.poll() is None:
            self.faulty.mend()
        for process in multiprocessing.active_children():
            process.kill()
        if self.live:
            self.live.kill()
        # After a failure they are mounted still, each with its daemon.
        for mountpoint in ("mnt", "fresh", Faulty.shown):
            subprocess.run(["umount", "-l", mountpoint], stderr=subprocess.DEVNULL, check=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plyfs")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--hours", type=float)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--operations", type=int, default=150)
    parser.add_argument("--kill", action="store_true", help="the daemon is killed, or its mount taken away, again and again")
    parser.add_argument("--take-over", action="store_true", help="another process takes the mount over, again and again")
    parser.add_argument("--render", action="store_true", help="plyfs render --watch keeps a tree meanwhile")
    parser.add_argument("--faulty", metavar="TOOL", help="the layer mid is on the FUSE file system TOOL, which fails and hangs")
    parser.add_argument("--readers", type=int, default=2)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    faulthandler.register(signal.SIGUSR1)
    chaos = Chaos(arguments)
    try:
        chaos.run()
    except (Failed, ValueError) as error:
        print(f"failed: seed {arguments.seed}, round {chaos.number}: {error}", file=sys.stderr)
        return 1
    finally:
        chaos.stop()
    return 0


sys.exit(main())
