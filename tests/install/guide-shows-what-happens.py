#!/usr/bin/env python3
"""The commands in a page of docs/ do what it shows: guide-shows-what-happens.py [--write | --user] GUIDE

Each chapter runs in a directory of its own, in one shell: the lines of its `console` blocks that begin with "$ ",
and those that begin with "> " as their continuation. The output must be the text below; a line "..." stands for
any lines. The chapter's directory is called /home/me there. --write replaces the text by the output of now. With
--user, an ordinary user types the commands, with the changes that the page's first lines name.
"""
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MARK = "--- end of a command ---"
HOME = "/home/me"
# These commands only look, so they can be repeated: a change takes its time on a loaded machine.
LOOKS = ("cat ", "ls ", "plyfs cat ", "plyfs status ", "getfattr ", "stat ", "findmnt ", "head ", "grep ")
PATIENCE_S = 60
# While new output is written, all of it is unexpected.
WRITE_PATIENCE_S = 1
# The ordinary user: nobody.
USER = 65534
CLONE_NEWNS = 0x20000
# Seconds that a shell gets to end by itself.
END_S = 5


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need_mounts():
    """Skips the test if no program can mount, plyfs or another; a chapter has mounts of its own, too."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        skip(f"/dev/fuse can't be opened: {error.strerror}")
    if os.geteuid() != 0:
        skip("only root can do this")
    with tempfile.TemporaryDirectory() as directory:
        mount = ["unshare", "--mount", "mount", "--bind", directory, directory]
        if subprocess.run(mount, check=False).returncode != 0:
            skip("there can be no private mounts here")


def need_user(directory):
    """Skips the test if an ordinary user can't mount, or make a mount namespace."""
    if not os.stat("/dev/fuse").st_mode & 0o002:
        # As in tests/mount/mount.sh: a device for all users, in a mount namespace of our own.
        if ctypes.CDLL(None).unshare(CLONE_NEWNS) != 0:
            skip("there can be no private mounts here")
        device = f"{directory}/fuse"
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(["mknod", "-m", "666", device, "c", "10", "229"], check=True)
        subprocess.run(["mount", "--bind", device, "/dev/fuse"], check=True)
    unshare = subprocess.run(["unshare", "--map-root-user", "--mount", "true"], user=USER, group=USER,
                             extra_groups=[], check=False)
    if not shutil.which("fusermount3") or unshare.returncode != 0:
        skip("an ordinary user can't mount, or make a namespace")


class Shell:
    def __init__(self, directory, environment, credentials):
        self.directory = directory
        self.process = subprocess.Popen(["bash", "--norc"], cwd=directory, env=dict(environment, HOME=directory),
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True, **credentials)

    def run(self, command):
        self.process.stdin.write(f"{command}\necho '{MARK}'\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            line = line.replace(self.directory, HOME)
            if line.rstrip("\n").endswith(MARK):
                rest = line.rstrip("\n")[:-len(MARK)]
                return lines + ([rest] if rest else [])
            lines.append(line.rstrip("\n"))
        raise RuntimeError(f"the shell ended in: {command}")

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            pass
        # It may wait for something that does not come, and a command that was to end its jobs may have failed.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def is_as_shown(shown, printed):
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def run(shell, command, shown, patience_s):
    end = time.monotonic() + patience_s
    while True:
        printed = shell.run(command)
        if is_as_shown(shown, printed) or not command.startswith(LOOKS) or time.monotonic() > end:
            return printed
        time.sleep(0.05)


def unmount_below(directory):
    with open("/proc/self/mountinfo") as mounts:
        points = [line.split()[4] for line in mounts]
    for point in reversed(points):
        if point.startswith(directory + "/"):
            subprocess.run(["umount", "-l", point], check=False)


def run_block(shell, block, patience_s, wrong):
    """Returns the block's lines with the output of now."""
    result = []
    at = 0
    while at < len(block):
        lines = [block[at]]
        assert lines[0].startswith("$ "), f"not a command: {lines[0]}"
        at += 1
        while at < len(block) and block[at].startswith("> "):
            lines.append(block[at])
            at += 1
        shown = []
        while at < len(block) and not block[at].startswith("$ "):
            shown.append(block[at])
            at += 1
        command = "\n".join(line[2:] for line in lines)
        printed = run(shell, command, shown, patience_s)
        if not is_as_shown(shown, printed):
            wrong.append((command, shown, printed))
            shown = printed
        result += lines + shown
    return result


def run_chapter(text, environment, credentials, patience_s, wrong):
    os.umask(0o022)
    directory = tempfile.mkdtemp(prefix="plyfs-test.")
    os.chmod(directory, 0o755)
    if credentials:
        os.chown(directory, USER, USER)
    shell = Shell(directory, environment, credentials)

    def replaced(match):
        lines = run_block(shell, match[1].splitlines(), patience_s, wrong)
        return "```console\n" + "\n".join(lines) + "\n```"

    try:
        return re.sub(r"```console\n(.*?)\n```", replaced, text, flags=re.S)
    finally:
        shell.close()
        unmount_below(directory)
        shutil.rmtree(directory)


def main():
    # A test that takes too long is ended by a signal, and must unmount all the same.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    is_writing = sys.argv[1] == "--write"
    is_user = sys.argv[1] == "--user"
    guide = sys.argv[-1]

    need_mounts()
    for tool in "inotifywait", "getfattr", "git", "etcd", "etcdctl":
        if not shutil.which(tool):
            skip(f"{tool} is missing")
    # A copy of the command: other users may not be able to reach the build.
    programs = tempfile.TemporaryDirectory(prefix="plyfs-test.")
    os.chmod(programs.name, 0o755)
    shutil.copy(os.environ["PLYFS"], f"{programs.name}/plyfs")
    if is_user:
        need_user(programs.name)
    environment = dict(os.environ, LC_ALL="C", PATH=f"{programs.name}:{os.environ['PATH']}")
    credentials = {"user": USER, "group": USER, "extra_groups": []} if is_user else {}

    with open(guide) as file:
        page = file.read()
    if is_user:
        page = re.sub(r"(?<!plyfs )\bumount (?=mnt|app)", "plyfs umount ", page).replace(", user: nobody", "")
    chapters = re.split(r"(?m)^(?=## )", page)
    wrong = []
    patience_s = WRITE_PATIENCE_S if is_writing else PATIENCE_S
    text = "".join(run_chapter(chapter, environment, credentials, patience_s, wrong) for chapter in chapters)
    if is_writing:
        with open(guide, "w") as file:
            file.write(text)
        return
    for command, shown, printed in wrong:
        print("failed: $ {}\nprints:\n{}\nand not:\n{}".format(
            command, "\n".join(printed), "\n".join(shown)), file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
