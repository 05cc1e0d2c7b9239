#!/usr/bin/env python3
"""The Pod of examples/container/kubernetes.yaml does what it says: its sidecar follows ConfigMaps, and has no privilege.

    PLYFS=COMMAND pod-follows-its-config-maps-without-a-privilege.py MANIFEST

This test is the kubelet. It writes the volumes of the ConfigMaps as its atomic writer does: a new directory, then a
link that is switched. bwrap runs the containers with the arguments, the mounts and the user that the manifest gives
them: another user, a root that is read-only, no capability, and no /dev/fuse.
"""
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 60
# In that time a change shows that is going to show.
TWIN_S = 0.5


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


try:
    import yaml
except ImportError:
    skip("python3-yaml is missing")


class Volume:
    """A volume of a ConfigMap: NAME -> ..data/NAME, ..data -> ..TIME."""
    count = itertools.count(1)

    def __init__(self, directory, data):
        self.directory = directory
        os.mkdir(directory, 0o755)
        self.write(data)

    def write(self, data):
        link = f"{self.directory}/..data"
        old = os.readlink(link) if os.path.islink(link) else None
        new = f"..2026_01_01_00_00_00.{next(self.count)}"
        os.mkdir(f"{self.directory}/{new}", 0o755)
        for name, text in data.items():
            with open(f"{self.directory}/{new}/{name}", "w") as file:
                file.write(text)
        os.symlink(new, f"{link}_tmp")
        os.rename(f"{link}_tmp", link)
        for name in data:
            if not os.path.islink(f"{self.directory}/{name}"):
                os.symlink(f"..data/{name}", f"{self.directory}/{name}")
        for name in os.listdir(self.directory):
            if not name.startswith("..") and name not in data:
                os.unlink(f"{self.directory}/{name}")
        if old:
            shutil.rmtree(f"{self.directory}/{old}")


class Pod:
    def __init__(self, manifest, directory, plyfs):
        with open(manifest) as file:
            objects = list(yaml.safe_load_all(file))
        self.data = {thing["metadata"]["name"]: thing["data"] for thing in objects if thing["kind"] == "ConfigMap"}
        self.spec = next(thing["spec"] for thing in objects if thing["kind"] == "Pod")
        self.containers = {each["name"]: each for each in self.spec["initContainers"] + self.spec["containers"]}
        self.directory = directory
        self.plyfs = plyfs
        self.running = []
        self.volumes = {}
        for volume in self.spec["volumes"]:
            path = f"{directory}/{volume['name']}"
            if "configMap" in volume:
                self.volumes[volume["name"]] = Volume(path, self.data[volume["configMap"]["name"]])
            else:
                os.mkdir(path)
                os.chown(path, 0, self.spec["securityContext"]["fsGroup"])
                os.chmod(path, 0o2777)

    def as_user(self):
        user = self.spec["securityContext"]
        return ["setpriv", f"--reuid={user['runAsUser']}", f"--regid={user['runAsGroup']}", "--clear-groups"]

    def sandbox(self):
        command = self.as_user() + ["bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent", "--ro-bind", "/usr", "/usr",
                                    "--proc", "/proc", "--dev", "/dev"]
        for name in "bin", "lib", "lib32", "lib64":
            if os.path.exists(f"/{name}"):
                command += ["--symlink", f"usr/{name}", f"/{name}"]
        return command

    def start(self, name, output=None):
        """Starts a container. Returns bwrap, and the process that is number 1 in the container."""
        container = self.containers[name]
        check(container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                               "capabilities": {"drop": ["ALL"]}}, f"{name} has another context")
        command = self.sandbox()
        if container["image"] == "plyfs":
            command += ["--ro-bind", self.plyfs, "/plyfs"]
        for mount in container["volumeMounts"]:
            command += ["--ro-bind" if mount.get("readOnly") else "--bind", f"{self.directory}/{mount['name']}",
                        mount["mountPath"]]
        reader, writer = os.pipe()
        command += ["--remount-ro", "/", "--info-fd", str(writer)]
        command += container.get("command", ["/plyfs"]) + container.get("args", [])
        process = subprocess.Popen(command, pass_fds=[writer], stdout=output)
        self.running.append(process)
        os.close(writer)
        with os.fdopen(reader) as file:
            return process, json.load(file)["child-pid"]

    def probe(self):
        command = [self.plyfs, "status", "--exit-code", f"{self.directory}/merged/tree"]
        return subprocess.run(self.as_user() + command, stdout=subprocess.DEVNULL, check=False).returncode

    def shows(self, name, value):
        try:
            with open(f"{self.directory}/merged/tree/{name}") as file:
                return yaml.safe_load(file) == value
        except FileNotFoundError:
            return value is None


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def eventually(condition, message):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        check(time.monotonic() < end, message)
        time.sleep(0.02)


def check_privileges(process):
    """The container can't do more than any user can."""
    with open(f"/proc/{process}/status") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    check("0" not in status["Uid"].split(), f"it runs as root: {status['Uid']}")
    check(int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0, f"it has capabilities: {status['CapEff']}")
    check(status["NoNewPrivs"] == "1", "it may get privileges")
    check(not os.path.exists(f"/proc/{process}/root/dev/fuse"), "it has /dev/fuse")
    with open(f"/proc/{process}/mountinfo") as file:
        root = next(line.split() for line in file if line.split()[4] == "/")
    check("ro" in root[5].split(","), f"its root can be written: {root}")


def follow(pod):
    site = pod.volumes["site"]

    first, _ = pod.start("first")
    check(first.wait(PATIENCE_S) == 0, "the first rendering has failed")
    check(pod.shows("app.yaml", {"server": {"port": 8080, "workers": 4}}), "the first rendering is wrong")

    # The twin: without the sidecar, the old value is still there.
    site.write({"app.yaml": "server: {port: 8081}\n"})
    time.sleep(TWIN_S)
    check(pod.shows("app.yaml", {"server": {"port": 8080, "workers": 4}}), "a change shows without the sidecar")

    live, process = pod.start("live")
    eventually(lambda: pod.shows("app.yaml", {"server": {"port": 8081, "workers": 4}}), "the sidecar does not begin")
    check_privileges(process)

    # Changes of either, of two one after another, of the names, and of plyfs.yaml.
    site.write({"app.yaml": "server: {port: 8082}\n", "new.yaml": "a: 1\n"})
    pod.volumes["vendor"].write({"app.yaml": "server: {port: 80, workers: 5}\n"})
    eventually(lambda: pod.shows("app.yaml", {"server": {"port": 8082, "workers": 5}}), "a change does not show")
    eventually(lambda: pod.shows("new.yaml", {"a": 1}), "a new name does not show")
    site.write({"app.yaml": "server: {port: 8083}\n"})
    eventually(lambda: pod.shows("new.yaml", None), "a name stays")
    eventually(lambda: pod.shows("app.yaml", {"server": {"port": 8083, "workers": 5}}), "a change does not show")
    settings = pod.data["app-plyfs"]["plyfs.yaml"]
    pod.volumes["settings"].write({"plyfs.yaml": settings + "rules: [{match: app.yaml, strategy: last}]\n"})
    eventually(lambda: pod.shows("app.yaml", {"server": {"port": 8083}}), "a change of plyfs.yaml does not show")
    pod.volumes["settings"].write({"plyfs.yaml": settings})
    eventually(lambda: pod.shows("app.yaml", {"server": {"port": 8083, "workers": 5}}), "plyfs.yaml does not come back")

    # A ConfigMap that does not parse changes nothing but the status.
    check(pod.probe() == 0, "the status has an error")
    site.write({"app.yaml": "server: {port: [\n"})
    eventually(lambda: pod.probe() == 1, "the status has no error")
    check(pod.shows("app.yaml", {"server": {"port": 8083, "workers": 5}}), "a broken source has shown")

    # The kubelet starts it again if it is killed; then it has what changed meanwhile.
    os.kill(process, signal.SIGKILL)
    live.wait(PATIENCE_S)
    site.write({"app.yaml": "server: {port: 8084}\n"})
    live, process = pod.start("live")
    eventually(lambda: pod.shows("app.yaml", {"server": {"port": 8084, "workers": 5}}), "it does not go on")

    with open(f"{pod.directory}/output", "w+") as output:
        pod.start("app", output)
        eventually(lambda: "port: 8084" in os.pread(output.fileno(), 4096, 0).decode(), "the program does not read it")

    os.kill(process, signal.SIGTERM)
    check(live.wait(PATIENCE_S) == 0, f"it ended with {live.returncode}, not 0")


def main():
    # A test that takes too long is ended by a signal, and must clean up all the same.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if os.geteuid() != 0:
        skip("only root can do this")
    for tool in "bwrap", "setpriv":
        if not shutil.which(tool):
            skip(f"{tool} is missing")
    os.umask(0o022)
    directory = tempfile.mkdtemp(prefix="plyfs-test.")
    os.chmod(directory, 0o755)
    running = []
    try:
        plyfs = shutil.copy(os.environ["PLYFS"], f"{directory}/plyfs")
        pod = Pod(sys.argv[1], directory, plyfs)
        running = pod.running
        if subprocess.run(pod.sandbox() + ["/usr/bin/true"], check=False).returncode != 0:
            skip("bwrap can't make a container here")
        follow(pod)
    except AssertionError as error:
        sys.exit(f"failed: {error}")
    finally:
        for process in running:
            process.kill()
            process.wait()
        shutil.rmtree(directory)


main()
