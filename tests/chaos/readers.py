"""Readers of a mount while its layers change. Each is a process. The first violation ends it, with a message in the
given file.
"""
import collections
import ctypes
import errno
import mmap
import os
import random
import stat
import struct
import time
import traceback

import records

# A path may answer these while the target of a link comes and goes. ESTALE is the answer if a large file is written in
# place, ENXIO that of a socket where a link leads out.
PASSING = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.ESTALE}
FIRST_NUMBER = 1 << 62  # in inode numbers
# With these, a layer's file system fails.
FAILING = {errno.EIO, errno.ETIMEDOUT, errno.EACCES, errno.ESTALE}
SLOW_WAITS = 100  # tenths of a second
LARGE = 256 << 10  # bytes; smaller than a version that is shown without a copy


class Wrong(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Wrong(what)


def open_now(path):
    """Opens unbuffered and without blocking: a link may lead to a pipe outside of the mount."""
    return open(path, "rb", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))


class Reader:
    def __init__(self, top, seed, may_break, journal, may_die, is_faulty=False):
        self.top, self.journal = top, journal
        # The mount is dead, or away for a moment. Notes about the last mount no longer count.
        self.may_die = may_die
        self.passing = PASSING | ({errno.ENOTCONN, errno.ECONNABORTED, errno.EIO} if may_die else set()) | ({errno.ETIMEDOUT, errno.EACCES} if is_faulty else set())
        self.chance = random.Random(seed)
        self.may_break = may_break
        self.device = None if may_die else os.stat(top).st_dev
        self.disk = os.stat(".").st_dev
        self.known = [""]
        self.held = []
        self.polled = {}
        self.newest = {}

    def path(self):
        self.at = self.chance.choice(self.known)
        return self.at

    def is_inside(self, status):
        """Whether it is in the mount: a new mount has another device number than the last, but none of the disk's."""
        return status.st_dev == self.device if self.device else status.st_dev != self.disk

    def open(self, path):
        """Links may lead out of the mount; a reader ignores what is there."""
        file = open_now(os.path.join(self.top, path))
        if not self.is_inside(os.fstat(file.fileno())):
            file.close()
            raise FileNotFoundError(errno.ENOENT, "out of the mount")
        return file

    def whole(self, path, data, begin):
        """Whether the records in it are whole, except for those of slow writers."""
        try:
            found = records.versions_in(data)
        except ValueError as error:
            if not self.was_slow(begin):
                raise Wrong(f"{path} is torn: {error}\n{data[:4000]!r}") from error
            return {}
        return found

    def noted(self, word, begin):
        """Whether the journal has the word in a line that is not long before then."""
        with open(self.journal, encoding="utf-8") as file:
            return any(word in line.split() and float(line.split()[0]) > begin - 3 for line in file)

    def was_slow(self, begin):
        """Whether a writer had a file open for long, and may not be done yet."""
        for _ in range(SLOW_WAITS):
            if self.noted("SLOW", begin):
                return True
            time.sleep(0.1)
        return False

    # ---- The readers

    def read(self):
        path = self.path()
        begin = time.monotonic()
        with self.open(path) as file:
            status = os.fstat(file.fileno())
            data = b"".join(iter(lambda: file.read(self.chance.choice([100, 4096, 1 << 20])), b""))
            check(len(data) == status.st_size, f"{path} has {len(data)} bytes and says {status.st_size}")
            found = self.whole(path, data, begin)
            if path.startswith("steady"):
                self.is_newer(path, found)
            if self.chance.random() < 0.1 and len(self.held) < 20:
                self.held.append((path, os.dup(file.fileno()), data))

    def is_newer(self, path, found):
        for (layer, number, version) in found:
            check(version >= self.newest.get((path, layer, number), 0), f"{path} shows version {version} of {layer}, and was newer")
            self.newest[(path, layer, number)] = version

    def held_stays(self):
        if not self.held:
            return
        path, file, data = self.held.pop(self.chance.randrange(len(self.held)))
        with os.fdopen(file, "rb") as opened:
            opened.seek(0)
            check(opened.read() == data, f"{path} has changed while it was open")

    def map(self):
        path = self.path()
        begin = time.monotonic()
        with self.open(path) as file:
            if not 0 < os.fstat(file.fileno()).st_size < LARGE:
                return  # If such a file changes in place, a process that maps it gets SIGBUS, as on a disk.
            file.read(1)  # a file that can't be read raises SIGBUS, too
            with mmap.mmap(file.fileno(), os.fstat(file.fileno()).st_size, prot=mmap.PROT_READ) as mapped:
                self.whole(path, bytes(mapped), begin)

    def list(self):
        directory = self.path() if self.chance.random() < 0.5 else ""
        begin = time.monotonic()
        file = os.open(os.path.join(self.top, directory), os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK)
        try:
            if not self.is_inside(os.fstat(file)):
                return
            with os.scandir(file) as entries:
                names = [entry.name for entry in entries]
        finally:
            os.close(file)
        # A name that was removed and came again meanwhile is listed behind the names that were there (readdir(3) leaves
        # that case open).
        twice = [name for name, count in collections.Counter(names).items()
                 if count > 1 and not self.noted(os.path.join(directory, name), begin)]
        check(not twice, f"{directory} lists {twice} twice: {sorted(names)}")
        for name in names:
            check(not name.startswith(".wh.") and not name.endswith("~"), f"{directory} shows {name}")
        self.known = (self.known + [os.path.join(directory, name) for name in names])[-300:]

    def poll(self):
        """A reader that checks only times and inode number sees each change. (The time of the last write can be set
        to its old value, and one kind of change does so; the other time can't.)"""
        path = self.path()
        settings = os.stat("plyfs.yaml").st_ino
        with self.open(path) as file:
            status = os.fstat(file.fileno())
            data = file.read()
        if self.may_die:
            return
        stamp = (path, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
        # A file that went with its directory, and comes back, has its first number and the sources' time again. Other
        # settings may have made other bytes of the sources meanwhile.
        if status.st_ino & FIRST_NUMBER:
            stamp += (settings,)
        check(self.polled.setdefault(stamp, hash(data)) == hash(data), f"{path} has other bytes, and inode and time are the same")

    def look(self):
        path = os.path.join(self.top, self.path())
        status = os.lstat(path)
        if not self.is_inside(status):
            return  # a link leads out of the mount
        if stat.S_ISLNK(status.st_mode):
            try:
                os.readlink(path)
            except OSError as error:
                if error.errno != errno.EINVAL:  # it is a file by now
                    raise
            return
        check(not status.st_mode & 0o7222, f"{path} has the mode {status.st_mode:o}")
        os.listxattr(path)

    def run(self, end):
        acts = [self.read] * 6 + [self.map, self.held_stays, self.list, self.list, self.poll, self.poll, self.look]
        while not end.is_set():
            may_break = self.may_break.value
            act = self.chance.choice(acts)
            begin = time.monotonic()
            try:
                act()
            except OSError as error:
                is_broken = error.errno == errno.EIO and (may_break or self.may_break.value)
                if error.errno not in self.passing and not is_broken and not (error.errno == errno.EIO and self.was_slow(begin)):
                    raise Wrong(f"{act.__name__} {self.at}: {error}") from error
            if self.chance.random() < 0.2:
                time.sleep(0.002)
        while self.held:
            try:
                self.held_stays()
            except OSError as error:
                if error.errno not in self.passing:
                    raise


# ---- A reader that uses inotify alone

IN_ATTRIB, IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE, IN_Q_OVERFLOW, IN_IGNORED = 4, 64, 128, 256, 512, 0x4000, 0x8000
IN_ONLYDIR, IN_DONT_FOLLOW = 0x1000000, 0x2000000
libc = ctypes.CDLL(None, use_errno=True)


class Watcher:
    """Keeps a copy of the mount's tree, and reads again only what inotify has reported."""

    def __init__(self, top):
        self.top = top
        self.file = libc.inotify_init1(os.O_NONBLOCK)
        self.watches = {}
        self.copy = {}
        self.failed = set()  # directories that could not be listed: an error, and no event, says so
        self.told = collections.deque(maxlen=5000)  # for finding out why something is wrong
        self.look_into("")

    def note(self, path, what):
        self.told.append((path, f"{time.monotonic():.4f} {path}: {what}"))

    def look_into(self, directory):
        path = os.path.join(self.top, directory)
        mask = IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ONLYDIR | IN_DONT_FOLLOW
        watch = libc.inotify_add_watch(self.file, os.fsencode(path), mask)
        if watch < 0:
            if ctypes.get_errno() in FAILING:
                self.failed.add(directory)
            return
        self.watches[watch] = directory
        self.note(directory, f"watched, number {os.lstat(path).st_ino}")
        self.failed.discard(directory)
        try:
            for name in os.listdir(path):
                if name != ".plyfs":
                    self.look_at(os.path.join(directory, name))
        except OSError as error:
            if error.errno in FAILING:
                self.failed.add(directory)

    def look_at(self, path):
        for inner in [inner for inner in self.copy if inner == path or inner.startswith(path + "/")]:
            del self.copy[inner]
        full = os.path.join(self.top, path)
        failure = ""
        try:
            status = os.lstat(full)
            if stat.S_ISLNK(status.st_mode):
                self.copy[path] = os.readlink(full)
            elif stat.S_ISDIR(status.st_mode):
                self.copy[path] = "directory"
                self.look_into(path)
            else:
                self.copy[path] = "file"
                with open_now(full) as file:
                    self.copy[path] = file.read()
        except OSError as error:
            if path in self.copy or error.errno == errno.EIO:
                self.copy[path] = error.errno
            if error.errno in FAILING and path not in self.copy:
                self.failed.add(os.path.dirname(path))
            failure = f" ({error.strerror})"
        self.note(path, f"looked at, is {str(self.copy.get(path))[:60]}{failure}")

    def take_events(self):
        try:
            data = os.read(self.file, 1 << 16)
        except BlockingIOError:
            return False
        again = set()
        at = 0
        while at < len(data):
            watch, mask, _, length = struct.unpack_from("iIII", data, at)
            name = os.fsdecode(data[at + 16:at + 16 + length].rstrip(b"\0"))
            at += 16 + length
            if mask & IN_Q_OVERFLOW:
                raise Wrong("the watcher's queue is full: it can't tell")
            if mask & IN_IGNORED:
                self.note(self.watches.pop(watch, None), "not watched any more")
            elif name and watch in self.watches:
                path = os.path.join(self.watches[watch], name)
                again.add(path)
                self.note(path, f"event {mask:x}")
        for path in sorted(again):
            directory = os.path.dirname(path)
            # A name that is a link now may have that target.
            if not directory or self.copy.get(directory) == "directory":
                self.look_at(path)
        return True

    def try_failed(self):
        for directory in list(self.failed):
            self.failed.discard(directory)
            if not directory or self.copy.get(directory) == "directory":
                self.look_into(directory)

    def run(self, end):
        while not end.is_set():
            if not self.take_events():
                time.sleep(0.005)
                self.try_failed()
        quiet = 0
        while quiet < 10:
            quiet = 0 if self.take_events() else quiet + 1
            time.sleep(0.02)
        # On a busy machine a lookup may show a change before its event comes.
        late = time.monotonic() + 60
        while self.copy != copy_of(self.top) and time.monotonic() < late:
            self.take_events()
            self.try_failed()
            time.sleep(0.1)
        actual = copy_of(self.top)
        for path in sorted(self.copy.keys() | actual.keys()):
            mine, theirs = self.copy.get(path), actual.get(path)
            about = "\n".join(line for at, line in self.told if at and (path + "/").startswith(at + "/"))
            about += f"\nlast in its directory: {[line for at, line in self.told if os.path.dirname(at) == os.path.dirname(path)][-3:]}"
            check(mine == theirs, f"{path}: who watches was not told of it: he has\n{short(mine)}, and it is\n{short(theirs)}\n{about}")


def short(data):
    return data[:600] if isinstance(data, (bytes, str)) else data


def run(reader, end, failure):
    """A process."""
    try:
        reader().run(end)
    except Exception as error:
        with open(failure + "~", "w", encoding="utf-8") as file:
            file.write(f"{error}\n" if isinstance(error, Wrong) else traceback.format_exc())
        os.rename(failure + "~", failure)


def copy_of(top):
    """Returns a copy of the tree as it is now."""
    watcher = Watcher(top)
    os.close(watcher.file)
    return watcher.copy
