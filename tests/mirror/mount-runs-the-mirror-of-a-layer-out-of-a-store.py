#!/usr/bin/env python3
"""If a layer of plyfs.yaml comes out of etcd or git, mount or render runs its mirror, as another user and with
nothing of the daemon's. The cases: from nothing, with the store down, killed, and killed with the daemon."""
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time

import stores
from stores import expect

stores.need_etcd()
stores.need("git")
os.chmod(stores.DIRECTORY, 0o755)
os.environ["SECRET"] = "the daemon's alone"
IS_ROOT = os.geteuid() == 0
USER = ", user: nobody" if IS_ROOT else ""
can_mount = os.path.exists("/dev/fuse") and b"without FUSE" not in subprocess.run(
    [stores.PLYFS, "help", "mount"], capture_output=True, check=False).stdout
cluster = stores.Cluster(size=1).start()
os.makedirs(stores.path("low"))
with open(stores.path("low/app.yaml"), "w", encoding="utf-8") as file:
    file.write("port: 80\n")


def text_of(name):
    try:
        with open(stores.path(name), encoding="utf-8") as file:
            return file.read()
    except (FileNotFoundError, OSError):
        return None


def comes(name, text):
    stores.eventually(f"{name} is {text!r}", lambda: text_of(name) == text or (text_of(name), text_of("daemon.log")))


def settings(store, name="plyfs.yaml", more=""):
    whole = f"""layers:
  - low
  - name: fleet
    {store}
{more}options: {{header: false}}
"""
    with open(stores.path(name + ".new"), "w", encoding="utf-8") as file:
        file.write(whole)
    os.rename(stores.path(name + ".new"), stores.path(name))


def etcd(state="state", more="", prefix=stores.PREFIX):
    return (f"etcd: {{endpoints: ['{cluster.endpoints()}'], prefix: {prefix}, state: {stores.path(state)}, "
            f"wait: 3s{USER}{more}}}")


def children(pid):
    """Returns {name: pid} of a process's children, and theirs, without those that end meanwhile."""
    found = {}
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        for child in file.read().split():
            try:
                with open(f"/proc/{child}/comm", encoding="utf-8") as comm:
                    name = comm.read().strip()
                found.update({name: int(child)} | children(child))
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


def run(*words):
    return subprocess.run([stores.PLYFS, *words], capture_output=True, text=True, check=False, cwd=stores.DIRECTORY,
                          timeout=60)


class Daemon:
    """A mount, or a rendered tree, in the foreground."""

    def __init__(self, *words, config="plyfs.yaml", tree="tree"):
        self.tree = stores.path(tree)
        os.makedirs(self.tree, exist_ok=True)
        self.log = open(stores.path("daemon.log"), "wb")
        self.process = stores.spawn([stores.PLYFS, *words, "-c", config, self.tree], stdout=self.log, stderr=self.log,
                                    cwd=stores.DIRECTORY)
        stores.ENDINGS.append(self.end)

    def end(self, number=signal.SIGTERM):
        if self.process:
            self.process.send_signal(number)
            code = self.process.wait()
            subprocess.run(["umount", "-l", self.tree], capture_output=True, check=False)
            self.process = None
            said = text_of("daemon.log")
            if "Sanitizer" in said or "runtime error" in said:
                print(said, file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            return code
        return None

    def mirror(self):
        found = {}

        def is_there():
            found.update(children(self.process.pid))
            return "plyfs-mirror" in found or (found, text_of("daemon.log"))

        stores.eventually("a mirror runs", is_there)
        return found["plyfs-mirror"]

    def status(self):
        said = run("status", "--json", self.tree)
        return json.loads(said.stdout) if said.returncode == 0 else said.stderr

    def of_mirror(self):
        return self.status()["layers"][1].get("mirror", {})


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def show():
    return Daemon(*(["mount", "-f"] if can_mount else ["render", "--watch"]))


# Nothing is there: a command that only reads reports that, and a mount gets the state.
settings(etcd())
cluster.put("app.yaml", "log: debug\n")
said = run("cat", "-c", "plyfs.yaml", "app.yaml")
expect("there is no state yet", "has no state on this machine yet" in said.stderr and "4:11" in said.stderr, said)
daemon = show()
comes("tree/app.yaml", "port: 80\nlog: debug\n")
cluster.put("app.yaml", "log: info\n")
comes("tree/app.yaml", "port: 80\nlog: info\n")
expect("who only looks has it, too", run("cat", "-c", "plyfs.yaml", "app.yaml").stdout == "port: 80\nlog: info\n")



def descriptors(pid):
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            pass  # it was closed meanwhile
    return found


def expect_own(pid):
    """The mirror has nothing of the daemon's, and is another user."""

    def facts_of():
        with open(f"/proc/{pid}/status", encoding="utf-8") as status_file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in status_file if ":\t" in line)

    stores.eventually("no signal is blocked but SIGHUP", lambda: int(facts_of()["SigBlk"], 16) == 1 or facts_of())
    facts = facts_of()
    expect("no signal is ignored but SIGPIPE", int(facts["SigIgn"], 16) & ~(1 << signal.SIGPIPE - 1) == 0, facts)
    expect("no capability", [facts[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")] == ["0" * 16] * 4, facts)
    expect("no new right", facts["NoNewPrivs"] == "1", facts)
    if IS_ROOT:
        expect("another user", set(facts["Uid"].split()) == {str(pwd.getpwnam("nobody").pw_uid)}, facts)
    held = descriptors(pid)
    foreign = ("fuse", "daemon.log", stores.path("low"), "inotify", "pidfd", "eventpoll")
    expect("no descriptor of the daemon", not [name for name in held if any(word in name for word in foreign)], held)
    with open(f"/proc/{pid}/environ", "rb") as environ_file:
        names = {line.split(b"=")[0] for line in environ_file.read().split(b"\0") if line}
    expect("an environment of its own", b"PATH" in names and not names & {b"SECRET", b"PLYFS", b"PWD"}, names)


mirror = daemon.mirror()
expect_own(mirror)

# The reports about the mirror.
status = daemon.of_mirror()
expect("the status tells of the mirror", (status["kind"], status["source"], status["connected"], status["running"]) ==
       ("etcd", stores.PREFIX, True, True) and int(status["revision"]) >= 2 and status["endpoint"] in
       cluster.endpoints() and status["contact_age_s"] < 30, status)
said = run("status", daemon.tree).stdout
expect("so it does for people", f"etcd {stores.PREFIX} at {status['revision']}, 1 file" in said, said)

# A second one shares the mirror's state: its mirror stands by, and takes over when the first ends.
os.makedirs(stores.path("other"), exist_ok=True)
second = Daemon("render", "--watch", tree="other")
comes("other/app.yaml", "port: 80\nlog: info\n")
time.sleep(0.5)
held = descriptors(second.mirror())
expect("one mirror is enough", not [name for name in held if name.startswith("socket:")], held)

# Killed, it is started again.
os.kill(mirror, signal.SIGKILL)
stores.eventually("another mirror", lambda: children(daemon.process.pid).get("plyfs-mirror", mirror) != mirror)
cluster.put("app.yaml", "log: again\n")
comes("tree/app.yaml", "port: 80\nlog: again\n")
expect_own(daemon.mirror())

# The daemon is killed: no mirror of it is left, and the other daemon's mirror goes on.
mirror = daemon.mirror()
daemon.end(signal.SIGKILL)
stores.eventually("no mirror is left", lambda: is_gone(mirror))
cluster.put("app.yaml", "log: taken over\n")
comes("other/app.yaml", "port: 80\nlog: taken over\n")
second.end()

# The store is down: the last state is there at once.
cluster.kill()
daemon = show()
comes("tree/app.yaml", "port: 80\nlog: taken over\n")
stores.eventually("a trouble", lambda: [trouble for trouble in daemon.of_mirror()["troubles"]
                                        if trouble["subject"] == "store"] != [] or daemon.of_mirror())
status = daemon.of_mirror()
expect("not connected", not status["connected"] and status["running"], status)
said = run("status", daemon.tree).stdout
expect("for people, too", "not connected to" in said and "store: " in said, said)
if can_mount:
    expect("among the errors", "the mirror of the layer 'fleet': store: " in text_of("tree/.plyfs/errors"))
    listed = [line for line in run("status").stdout.splitlines() if line.startswith(f"{daemon.tree}: ")]
    expect("the list of mounts counts it", listed == [f"{daemon.tree}: 2 layers, 1 error"], listed)
# Another store, without a last state: the old settings stay, with an error, until the state is there.
settings(etcd(prefix="/other/"))
stores.eventually("a trouble of the settings", lambda: "no state" in daemon.status()["settings"].get("error", "") or
                  daemon.status()["settings"])
comes("tree/app.yaml", "port: 80\nlog: taken over\n")
cluster.start()
cluster.run("put", "/other/app.yaml", "log: other\n")
comes("tree/app.yaml", "port: 80\nlog: other\n")
stores.eventually("no trouble", lambda: "error" not in daemon.status()["settings"])
# The layer is removed, and its mirror ends.
mirror = daemon.mirror()
settings("path: low")
stores.eventually("the mirror has ended", lambda: is_gone(mirror))
comes("tree/app.yaml", "port: 80\n")
settings(etcd())
comes("tree/app.yaml", "port: 80\nlog: taken over\n")
expect("it ends well", daemon.end() == 0, text_of("daemon.log"))

# A state at another place than at the start is written there.
daemon = show()
comes("tree/app.yaml", "port: 80\nlog: taken over\n")
mirror = daemon.mirror()
settings(etcd(state="elsewhere"))
stores.eventually("the first mirror has ended", lambda: is_gone(mirror))
stores.eventually("its layer is used", lambda: daemon.status()["layers"][1]["path"].startswith(stores.path("elsewhere")) or
                  daemon.status()["layers"])
comes("tree/app.yaml", "port: 80\nlog: taken over\n")
# A stopped mirror is reported, and so is that it goes on.
mirror = daemon.mirror()
stopped = f"its process {mirror} is stopped; let it go on: kill -CONT {mirror}"
for _ in range(2):
    os.kill(mirror, signal.SIGSTOP)
    stores.eventually("the log names it", lambda: f"the mirror of the layer 'fleet': {stopped}\n" in text_of("daemon.log") or
                      text_of("daemon.log"))
    status = daemon.of_mirror()
    expect("the status, too", (status["running"], status["connected"], status["reason"]) == (False, False, stopped), status)
    said = run("status", daemon.tree).stdout
    expect("for people, too", f", not kept up to date: {stopped}\n" in said and "  errors      1\n" in said, said)
    if can_mount:
        expect("among the errors", stopped in text_of("tree/.plyfs/errors"))
    said = run("mirror", "status", daemon.status()["layers"][1]["path"]).stdout
    expect("the mirror's own status", stopped in said and "lag         none" not in said, said)
    os.truncate(stores.path("daemon.log"), 0)
    os.kill(mirror, signal.SIGCONT)
    stores.eventually("it goes on", lambda: "its process goes on\n" in text_of("daemon.log") and
                      daemon.of_mirror()["connected"] or text_of("daemon.log"))
    expect("without an error", "not kept up to date" not in run("status", daemon.tree).stdout)
# At the end no mirror is left, and a stopped one does not hold up the end.
mirror = daemon.mirror()
os.kill(mirror, signal.SIGSTOP)
began = time.monotonic()
expect("it ends well", daemon.end() == 0 and is_gone(mirror), text_of("daemon.log"))
# A busy machine is slow; a process that is stopped would never end.
expect("at once", time.monotonic() - began < 15, time.monotonic() - began)
settings(etcd())
# A plyfs that takes the mount over has a mirror, and the end leaves none.
if can_mount:
    daemon = show()
    comes("tree/app.yaml", "port: 80\nlog: taken over\n")
    mirrors = {daemon.mirror()}
    daemon.process.send_signal(signal.SIGUSR2)
    stores.eventually("the mount is taken over", lambda: daemon.status()["take_over"]["tried"] == 1)
    stores.eventually("the old mirror has ended", lambda: all(is_gone(mirror) for mirror in mirrors))
    stores.eventually("it has a mirror", lambda: "plyfs-mirror" in children(daemon.process.pid))
    mirrors.add(daemon.mirror())
    cluster.put("app.yaml", "log: by the next\n")
    comes("tree/app.yaml", "port: 80\nlog: by the next\n")
    cluster.put("app.yaml", "log: taken over\n")
    comes("tree/app.yaml", "port: 80\nlog: taken over\n")
    expect("it ends well", run("umount", daemon.tree).returncode == 0)
    stores.eventually("no mirror is left", lambda: all(is_gone(mirror) for mirror in mirrors))
    daemon.end()
# Without the sandbox the mirror has none, either.
daemon = Daemon(*(["mount", "-f", "-o", "nosandbox"] if can_mount else ["render", "--watch", "--no-sandbox"]))
with open(f"/proc/{daemon.mirror()}/cmdline", encoding="utf-8") as file:
    expect("nosandbox is the mirror's, too", "--no-sandbox" in file.read().split("\0"))
stores.eventually("and the status tells", lambda: daemon.of_mirror().get("sandbox", {}).get("landlock") == "off" or daemon.of_mirror())
said = run("status", daemon.tree).stdout
expect("for people, too", ", Landlock off\n" in said, said)
daemon.end()

# The store is down, and there is no state: the command fails, and names the place and the remedy.
cluster.kill()
settings(etcd(state="nothing", more=", wait: 1s").replace("wait: 3s, ", "").replace("wait: 3s", ""))
for words in (["mount", "-f"],) * can_mount + (["render"], ["render", "--watch"]):
    os.makedirs(stores.path("empty"), exist_ok=True)
    began = time.monotonic()
    said = run(*words, "-c", "plyfs.yaml", stores.path("empty"))
    expect("it fails", said.returncode == 1 and "has no state yet, after 1.0 s" in said.stderr and
           cluster.members[0].url in said.stderr and "optional" in said.stderr and
           time.monotonic() - began < 20, (words, said))
# If the layer is optional, the mount does not wait, and the layer comes when its state is there.
settings(etcd(state="nothing").replace("etcd:", "optional: true\n    etcd:"))
daemon = show()
comes("tree/app.yaml", "port: 80\n")
cluster.start()
comes("tree/app.yaml", "port: 80\nlog: taken over\n")
daemon.end()

# While a mount waits for the first state, plyfs.yaml changes. The mount begins as the mirror did, and then reports the
# new text, whose layer does not exist.
cluster.kill()
settings(etcd(state="late").replace("wait: 3s", "wait: 60s"))
daemon = show()
daemon.mirror()
settings("path: gone")
cluster.start()
comes("tree/app.yaml", "port: 80\nlog: taken over\n")
stores.eventually("a trouble of the settings", lambda: "gone" in daemon.status()["settings"].get("error", "") or
                  daemon.status()["settings"])
daemon.end()

# A prefix of the host's own.
cluster.run("put", f"/hosts/{socket.gethostname()}/app.yaml", "log: host\n")
settings(etcd(prefix="/hosts/%H/"))
said = run("render", "-c", "plyfs.yaml", stores.path("host"))
expect("%H is the host's name", text_of("host/app.yaml") == "port: 80\nlog: host\n", said)

# Rendered once, it is the store's current state, not the last one.
settings(etcd())
cluster.put("app.yaml", "log: now\n")
said = run("render", "-c", "plyfs.yaml", stores.path("once"))
expect("rendered once", said.returncode == 0 and text_of("once/app.yaml") == "port: 80\nlog: now\n", said)
cluster.kill()
time.sleep(2)  # A status that the mirror of the run before has written in this second still counts as new.
said = run("render", "-c", "plyfs.yaml", stores.path("once"))
expect("with the store down what there was", said.returncode == 0 and "has the last state that the store gave" in
       said.stderr and text_of("once/app.yaml") == "port: 80\nlog: now\n", said)
# A store may be named only in a plyfs.yaml whose owners may have root run commands.
os.chmod(stores.path("plyfs.yaml"), 0o666)
said = run("render", "-c", "plyfs.yaml", stores.path("once"))
expect("a plyfs.yaml that everybody writes", said.returncode == 1 and "chmod go-w" in said.stderr, said)
if IS_ROOT and shutil.which("unshare"):
    settings(etcd(state="nothing-either").replace("wait: 3s", "wait: 200ms"))
    said = subprocess.run(["unshare", "-n", stores.PLYFS, "render", "-c", stores.path("plyfs.yaml"), stores.path("empty")],
                          capture_output=True, text=True, check=False)
    expect("without a network it says so", said.returncode == 1 and "there is no network here" in said.stderr, said)
if IS_ROOT:
    settings(etcd().replace("nobody", "nobody-of-that-name"))
    said = run("render", "-c", "plyfs.yaml", stores.path("once"))
    expect("a user that is not there", said.returncode == 1 and "there is no user 'nobody-of-that-name'" in said.stderr
           and "useradd --system" in said.stderr, said)
    # The mirror's user points the link at a directory of another user.
    settings(etcd())
    top = stores.path("state")
    home = [name for name in os.listdir(top) if text_of(f"state/{name}/layer/app.yaml") == "log: now\n"][0]
    os.unlink(f"{top}/{home}/layer")
    os.symlink(stores.path("low"), f"{top}/{home}/layer")
    os.lchown(f"{top}/{home}/layer", pwd.getpwnam("nobody").pw_uid, -1)
    said = run("cat", "-c", "plyfs.yaml", "app.yaml")
    expect("it is not followed", said.returncode == 1 and "leads to a directory of another user" in said.stderr, said)
    os.unlink(f"{top}/{home}/layer")


def expect_line(manager):
    lines = manager.recv(4096).decode()
    while not lines.startswith(f"STATUS=fleet: etcd {stores.PREFIX} at ") or " from http://" not in lines:
        lines = manager.recv(4096).decode()


# A mirror that another process runs is reported as well, also to the service manager.
cluster.start()
mirror = stores.Mirror("etcd", "--endpoints", cluster.endpoints(), "--prefix", stores.PREFIX, name="unit").start()
mirror.equals(cluster)
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
    manager.bind(stores.path("manager"))
    manager.settimeout(30)
    os.environ["NOTIFY_SOCKET"] = stores.path("manager")
    for store, kept in ((f"path: {mirror.directory}", "of the unit"), (etcd(), "of the mount")):
        settings(store)
        daemon = show()
        comes("tree/app.yaml", "port: 80\nlog: now\n")
        expect_line(manager)
        # The process that makes the line is killed, and started again. Only the first of several ends is logged.
        for _ in range(2):
            reporter = children(daemon.process.pid)["plyfs-report"]
            os.kill(reporter, signal.SIGKILL)
            stores.eventually("another reporter", lambda: children(daemon.process.pid).get("plyfs-report", reporter) !=
                              reporter)
            expect_line(manager)
        expect("the log has it once", text_of("daemon.log").count(
            "the process plyfs-report: was ended by a signal (Killed), and is started again") == 1, text_of("daemon.log"))
        expect(f"the status {kept}", (daemon.of_mirror()["kind"], daemon.of_mirror()["running"]) == ("etcd", True),
               daemon.of_mirror())
        # The settings were read again; no descriptor but theirs was closed.
        given = [os.readlink(f"/proc/{pid}/fd/0") for pid in ("self", daemon.process.pid)]
        expect("its input is open", given[0] == given[1], given)
        expect("it ends well", daemon.end() == 0, text_of("daemon.log"))
    del os.environ["NOTIFY_SOCKET"]
mirror.kill()

# git.
work = stores.path("work")
environment = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="a",
                   GIT_AUTHOR_EMAIL="a@localhost", GIT_COMMITTER_NAME="c", GIT_COMMITTER_EMAIL="c@localhost")


def git(*words):
    subprocess.run(["git", "-C", work, *words], env=environment, check=True, capture_output=True)


def commit(text):
    with open(f"{work}/conf/app.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    git("add", "-A")
    git("commit", "-q", "-m", "x")


os.makedirs(f"{work}/conf")
git("init", "-q", "-b", "main")
commit("log: git\n")
# git refuses a directory of another user.
if IS_ROOT:
    for where, directories, files in os.walk(work):
        os.chown(where, pwd.getpwnam("nobody").pw_uid, -1)
        for name in files:
            os.chown(f"{where}/{name}", pwd.getpwnam("nobody").pw_uid, -1)
settings(f"git: {{url: work, ref: main, path: conf, interval: 1s, state: {stores.path('state')}{USER}}}")
daemon = show()
comes("tree/app.yaml", "port: 80\nlog: git\n")
environment["GIT_CONFIG_COUNT"], environment["GIT_CONFIG_KEY_0"] = "1", "safe.directory"
environment["GIT_CONFIG_VALUE_0"] = "*"
commit("log: commit\n")
if IS_ROOT:
    for where, directories, files in os.walk(f"{work}/.git"):
        os.chown(where, pwd.getpwnam("nobody").pw_uid, -1)
comes("tree/app.yaml", "port: 80\nlog: commit\n")
if IS_ROOT:
    # git would have root change a setting that the mirror does not read.
    os.chown(work, 1, -1)
    stores.eventually("whose repository it is", lambda: any("belongs to the user 1, and not to root" in trouble["message"]
                                                             for trouble in daemon.of_mirror()["troubles"]) or daemon.of_mirror())
    os.chown(work, 0, -1)
    stores.eventually("root's is taken", lambda: daemon.of_mirror()["troubles"] == [] or daemon.of_mirror())
expect("the status tells of git", daemon.of_mirror()["kind"] == "git" and len(daemon.of_mirror()["revision"]) == 40,
       daemon.of_mirror())
expect("it ends well", daemon.end() == 0, text_of("daemon.log"))
