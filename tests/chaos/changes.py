"""Random changes of every kind in one layer. One process changes a layer. A change follows from the seed and the
layer alone, so a round is the same again with the same seed, except for its timing.
"""
import ctypes
import os
import random
import shutil
import socket
import stat
import time

import records

DIRECTORIES = ["", "", "d", "d/e", "f", "conf.d", "b.yaml.d"]
NAMES = ["a.yaml", "a.yaml", "b.yaml", "b.yaml", "c.json", "t.toml", "i.ini", "v.env", "p.properties", "plain", "m.list", "n.cat",
         "o.first", "s.yaml", "g.yaml", "u.yaml", "h.yaml", "k.docs", "k.docs", "q.docs", "link", "d", "e", "f", "conf.d", "b.yaml.d"]
TIMES = [-(10 ** 9), 0, 1, 10 ** 9, 4 * 10 ** 9]
SLOW_S = 0.15  # a file that a writer holds open longer than this may be shown meanwhile
STEADY = "steady"  # a directory in which versions only ever become newer

libc = ctypes.CDLL(None, use_errno=True)


def exchange(one, other):
    if libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2) < 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


class Changer:
    """`top` is the layer, in a directory where no other process has anything: ".." leads there."""

    def __init__(self, top, name, seed, outside, journal, version):
        self.top, self.name, self.outside = top, name, outside
        self.chance = random.Random(f"{seed} {name}")
        self.version = version
        self.journal = open(journal, "a", buffering=1, encoding="utf-8")
        os.makedirs(outside, exist_ok=True)

    # ---- Where, and what

    def path(self, names=None):
        return os.path.join(self.chance.choice(DIRECTORIES), self.chance.choice(names or NAMES))

    def absolute(self, path):
        return os.path.join(self.top, path)

    def existing(self):
        """Returns an existing file, in byte order of all: the same in each run."""
        found = []
        for directory, directories, names in os.walk(self.top):
            directories.sort()
            found += [os.path.relpath(os.path.join(directory, name), self.top) for name in sorted(names)
                      if stat.S_ISREG(os.lstat(os.path.join(directory, name)).st_mode) and not name.startswith(".wh.")]
        found = [path for path in found if not path.startswith(STEADY) and not path.endswith("~")]
        if not found:
            raise OSError(0, "no file is there")
        return self.chance.choice(found)

    def text(self, path, keys=None):
        self.version += 1
        return records.text_of(self.name, path, self.version, self.chance, keys)

    def note(self, what, path):
        self.journal.write(f"{time.monotonic():.4f} {self.name} {what} {path}\n")

    # ---- Single changes

    def write(self, path, data, flags):
        """Writes in place, in one or two pieces."""
        pieces = [data]
        if self.chance.random() < 0.5:
            pieces = [data[:len(data) // 2], data[len(data) // 2:]]
        begin = time.monotonic()
        file = os.open(self.absolute(path), os.O_WRONLY | os.O_NONBLOCK | flags, 0o644)  # a pipe is an error
        try:
            for piece in pieces:
                os.write(file, piece)
            if not flags & (os.O_APPEND | os.O_TRUNC):
                os.ftruncate(file, len(data))
        finally:
            os.close(file)
        if time.monotonic() - begin > SLOW_S:
            self.note("SLOW", path)

    def staged(self, path):
        """Returns a name beside `path` that does not exist."""
        staged = self.absolute(os.path.join(os.path.dirname(path), "staged~"))
        if os.path.lexists(staged):
            os.unlink(staged)
        return staged

    def replace(self, path, data):
        staged = self.staged(path)
        with open(staged, "wb") as file:
            file.write(data)
        os.rename(staged, self.absolute(path))

    def change_replace(self):
        path = self.path()
        self.note("replace", path)
        self.replace(path, self.text(path).encode())

    def change_write(self):
        path = self.path()
        self.note("write", path)
        self.write(path, self.text(path).encode(), os.O_CREAT | os.O_TRUNC)

    def change_overwrite(self):
        path = self.existing()
        self.note("overwrite", path)
        self.write(path, self.text(path).encode(), self.chance.choice([os.O_TRUNC, os.O_TRUNC]))

    def change_append(self):
        path = self.existing()
        if records.format_of(path) in records.APPENDABLE:
            self.version += 1
            self.note("append", path)
            self.write(path, records.addition_of(self.name, path, self.version).encode(), os.O_APPEND)

    def change_truncate(self):
        path = self.existing()
        if records.format_of(path) != "json":
            self.note("truncate", path)
            os.truncate(self.absolute(path), 0)

    def change_break(self):
        path = self.existing()
        ending = records.format_of(path)
        if ending:
            self.note("break", path)
            self.replace(path, (self.text(path) + records.BREAKS[ending]).encode())

    def change_large(self):
        path = os.path.join(self.chance.choice(DIRECTORIES), "plain")
        self.note("large", path)
        self.replace(path, self.text(path, self.chance.choice([5000, 5000, 150000])).encode())

    def change_remove(self):
        path = self.path()
        self.note("remove", path)
        remove(self.absolute(path))

    def change_rename(self):
        old, new = self.existing(), None
        new = os.path.join(self.chance.choice(DIRECTORIES), os.path.basename(old))
        self.note("rename", f"{old} {new}")
        os.rename(self.absolute(old), self.absolute(new))

    def change_rename_directory(self):
        old, new = self.path(["d", "e", "f", "conf.d", "b.yaml.d"]), self.path(["d", "e", "f"])
        self.note("rename", f"{old} {new}")
        os.rename(self.absolute(old), self.absolute(new))

    def change_exchange(self):
        one = self.path()
        other = self.path([os.path.basename(one)] if records.format_of(one) else ["d", "link", "plain"])
        self.note("exchange", f"{one} {other}")
        exchange(self.absolute(one), self.absolute(other))

    def change_kind(self):
        """Turns a file into a directory, and so on."""
        path = self.path()
        kind = self.chance.choice(["file", "directory", "link", "pipe", "socket"])
        self.note(f"becomes a {kind}", path)
        try:
            remove(self.absolute(path))
        except OSError:
            pass
        if kind == "file":
            self.replace(path, self.text(path).encode())
        elif kind == "directory":
            os.mkdir(self.absolute(path))
            inner = os.path.join(path, self.chance.choice(NAMES))
            self.replace(inner, self.text(inner).encode())
        elif kind == "link":
            os.symlink(self.link_target(os.path.basename(path)), self.absolute(path))
        elif kind == "pipe":
            os.mkfifo(self.absolute(path))
        else:
            with socket.socket(socket.AF_UNIX) as end:
                end.bind(self.absolute(path))

    def link_target(self, name):
        """The target has the format of the name. A write through the link makes no file if there is none: that could
        have any name's format."""
        is_file = name == "plain" or "." in name and not name.endswith(".d")
        return self.chance.choice(["no/where", "../" + name]) if is_file else "no/where"

    def change_link_out(self):
        """Makes a link to a file outside of the layer, which `follow` follows."""
        path = self.path(["a.yaml", "b.yaml", "k.docs", "plain", "c.json", "link", "d"])
        is_directory = os.path.basename(path) in ("link", "d")
        target = os.path.join(self.outside, "dir" if is_directory else os.path.basename(path))
        self.note("link out", path)
        staged = self.staged(path)
        os.symlink(target, staged)
        os.rename(staged, self.absolute(path))

    def change_target(self):
        """Returns the target of a link."""
        name = self.chance.choice(["a.yaml", "b.yaml", "k.docs", "plain", "c.json", "dir/a.yaml", "dir/plain"])
        path = os.path.join(self.outside, name)
        self.note("target", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if self.chance.random() < 0.2:
            remove(path)
            return
        with open(path + "~", "w", encoding="utf-8") as file:
            file.write(self.text("outside/" + name))
        os.rename(path + "~", path)

    def change_hard_link(self):
        """Makes a file with a second name, outside, by which it is written later. It has the second name from the
        beginning: plyfs need not notice one that comes later (plyfs(1))."""
        path = self.existing()
        other = os.path.join(self.outside, "hard." + os.path.basename(path))
        self.note("hard link", path)
        staged = self.staged(path)
        if os.path.lexists(other):
            os.unlink(other)
        with open(other, "w", encoding="utf-8") as file:
            file.write(self.text(path))
        os.link(other, staged)
        os.rename(staged, self.absolute(path))

    def change_by_hard_link(self):
        names = sorted(name for name in os.listdir(self.outside) if name.startswith("hard"))
        if names:
            name = self.chance.choice(names)
            self.note("by hard link", name)
            self.write(os.path.relpath(os.path.join(self.outside, name), self.top), self.text(name).encode(), os.O_TRUNC)

    def change_whiteout(self):
        path = self.path()
        directory, name = os.path.split(path)
        mark = self.absolute(os.path.join(directory, ".wh." + name))
        self.note("whiteout", path)
        roll = self.chance.random()
        if roll < 0.5 and os.path.lexists(mark):
            os.unlink(mark)
        elif roll < 0.7:
            with open(mark, "w", encoding="utf-8"):
                pass
        elif roll < 0.85:
            if os.path.lexists(self.absolute(path)):
                remove(self.absolute(path))
            os.mknod(self.absolute(path), stat.S_IFCHR, os.makedev(0, 0))

    def change_opaque(self):
        mark = self.absolute(os.path.join(self.chance.choice(DIRECTORIES[2:]), ".wh..wh..opq"))
        self.note("opaque", mark)
        if os.path.lexists(mark):
            os.unlink(mark)
        elif self.chance.random() < 0.5:
            with open(mark, "w", encoding="utf-8"):
                pass

    def change_directory(self):
        path = self.path(["d", "e", "f", "conf.d", "b.yaml.d"])
        self.note("directory", path)
        os.makedirs(self.absolute(path), exist_ok=True)

    def change_mode(self):
        path = self.path()
        is_directory = os.path.isdir(self.absolute(path))
        self.note("mode", path)
        os.chmod(self.absolute(path), self.chance.choice([0o755, 0o750, 0o700] if is_directory else [0o644, 0o640, 0o600, 0o755]))

    def change_times(self):
        path = self.existing()
        self.note("times", path)
        second = self.chance.choice(TIMES) * 10 ** 9
        os.utime(self.absolute(path), ns=(second, second))

    def change_drop_in(self):
        path = os.path.join(self.chance.choice(["conf.d", "b.yaml.d", "b.yaml.d"]),
                            f"{self.chance.randrange(3)}0-x.yaml")
        self.note("drop-in", path)
        if self.chance.random() < 0.3:
            remove(self.absolute(path))
        else:
            os.makedirs(self.absolute(os.path.dirname(path)), exist_ok=True)
            self.replace(path, self.text(path).encode())

    def change_layer(self):
        """The whole layer goes away and comes back, or another takes its place at once."""
        aside = self.top + ".aside"
        self.note("layer", "")
        if self.chance.random() < 0.5:
            os.rename(self.top, aside)
            time.sleep(self.chance.random() * 0.1)
            os.rename(aside, self.top)
            return
        shutil.copytree(self.top, aside, symlinks=True, copy_function=copy_any)
        exchange(self.top, aside)
        shutil.rmtree(aside)

    def change_steady(self):
        path = os.path.join(STEADY, self.chance.choice(["a.yaml", "b.yaml", "c.json", "k.docs", "plain", "m.list"]))
        os.makedirs(self.absolute(STEADY), exist_ok=True)
        data = self.text(path).encode()
        if self.chance.random() < 0.5:
            self.replace(path, data)
        else:
            self.write(path, data, os.O_CREAT | os.O_TRUNC)

    def break_circles(self):
        """Removes links that lead to their own directory: if several are followed, paths have no end."""
        for top in (self.top, self.outside):
            for directory, directories, names in os.walk(top):
                here = os.path.realpath(directory) + "/"
                for name in sorted(directories + names):
                    path = os.path.join(directory, name)
                    if os.path.islink(path) and here.startswith(os.path.realpath(path) + "/"):
                        self.note("circle", path)
                        os.unlink(path)

    def mend(self):
        """Repairs broken sources, also those that left the layer by a link, so that everything can be compared."""
        for top in (self.top, self.outside):
            for directory, _, names in sorted(os.walk(top)):
                for name in sorted(names):
                    self.mend_file(os.path.relpath(os.path.join(directory, name), self.top))

    def mend_file(self, path):
        ending = records.format_of(path)
        full = self.absolute(path)
        if not ending or os.path.basename(path).startswith(".wh.") or not stat.S_ISREG(os.lstat(full).st_mode):
            return
        with open(full, "rb") as file:
            data = file.read()
        if records.BREAKS[ending].encode().split(b"\n")[0] in data or not data:
            self.note("mend", path)
            self.replace(path, self.text(path).encode())


def copy_any(source, target):
    """Is shutil.copy2() for devices, pipes and sockets, too."""
    mode = os.lstat(source).st_mode
    if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
        return shutil.copy2(source, target, follow_symlinks=False)
    if not stat.S_ISSOCK(mode):
        os.mknod(target, mode, os.lstat(source).st_rdev)
    return target


WEIGHTS = {
    "replace": 14, "write": 10, "overwrite": 6, "append": 6, "truncate": 2, "break": 3, "large": 1, "remove": 8, "rename": 5,
    "rename_directory": 2, "exchange": 2, "kind": 6, "link_out": 4, "target": 6, "hard_link": 1, "by_hard_link": 2,
    "whiteout": 4, "opaque": 2, "directory": 4, "mode": 4, "times": 2, "drop_in": 6, "layer": 0.3, "steady": 10,
}


def change(changer, count, without=()):
    kinds = [kind for kind in WEIGHTS if kind not in without]
    weights = [WEIGHTS[kind] for kind in kinds]
    for _ in range(count):
        kind = changer.chance.choices(kinds, weights)[0]
        pause = changer.chance.choice([0, 0, 0, 0.001, 0.005, 0.02])
        try:
            getattr(changer, "change_" + kind)()
        except (OSError, shutil.Error):
            pass
        changer.break_circles()
        if pause:
            time.sleep(pause)
