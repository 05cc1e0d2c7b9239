"""Makes every system call that would change something in mnt/: each must fail with EROFS.

    changer.py [ERRNO...]      further errors that are right, by name (EACCES for an ordinary user)
    changer.py --twin          on a disk, with mnt/ made anew for each: prints how many succeed
"""
import ctypes
import errno
import os
import shutil
import socket
import stat
import sys

libc = ctypes.CDLL(None, use_errno=True)
allowed = {errno.EROFS} | {getattr(errno, name) for name in sys.argv[1:] if name[0] != "-"}
bad = []


def renameat2(old, new, flags):
    if libc.renameat2(-100, old.encode(), -100, new.encode(), flags) < 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def bind(path):
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(path)


def opens(path, flags):
    return lambda: os.close(os.open(path, flags, 0o644))


FILE, DIRECTORY, LINK, NEW = "mnt/app.yaml", "mnt/dir", "mnt/link", "mnt/new"
CALLS = {
    "open O_WRONLY": opens(FILE, os.O_WRONLY),
    "open O_RDWR": opens(FILE, os.O_RDWR),
    "open O_WRONLY O_APPEND": opens(FILE, os.O_WRONLY | os.O_APPEND),
    "open O_RDONLY O_TRUNC": opens(FILE, os.O_RDONLY | os.O_TRUNC),
    "open O_CREAT, of a new name": opens(NEW, os.O_WRONLY | os.O_CREAT),
    "open O_CREAT O_RDONLY, of a new name": opens(NEW, os.O_RDONLY | os.O_CREAT),
    "open O_CREAT O_RDWR, of an old name": opens(FILE, os.O_RDWR | os.O_CREAT),
    "open O_CREAT in a directory": opens(DIRECTORY + "/new", os.O_WRONLY | os.O_CREAT),
    "open through a link": opens(LINK, os.O_WRONLY),
    "open .plyfs/status": opens("mnt/.plyfs/status", os.O_WRONLY),
    "open O_CREAT .plyfs/new-1": opens("mnt/.plyfs/new-1", os.O_WRONLY | os.O_CREAT),
    "truncate": lambda: os.truncate(FILE, 0),
    "chmod": lambda: os.chmod(FILE, 0o600),
    "chmod of a directory": lambda: os.chmod(DIRECTORY, 0o700),
    "chmod of the root": lambda: os.chmod("mnt", 0o700),
    "chown": lambda: os.chown(FILE, os.getuid(), os.getgid()),
    "lchown": lambda: os.lchown(LINK, os.getuid(), os.getgid()),
    "utimensat": lambda: os.utime(FILE),
    "utimensat with a time": lambda: os.utime(FILE, (1, 1)),
    "utimensat of a directory": lambda: os.utime(DIRECTORY, (1, 1)),
    "setxattr": lambda: os.setxattr(FILE, "user.x", b"1"),
    "setxattr of ours": lambda: os.setxattr(FILE, "user.plyfs.layers", b"1"),
    "removexattr": lambda: os.removexattr(FILE, "user.plyfs.layers"),
    "mkdir": lambda: os.mkdir(NEW),
    "mkdir in .plyfs": lambda: os.mkdir("mnt/.plyfs/new-2"),
    "mknod": lambda: os.mknod(NEW, stat.S_IFREG | 0o644),
    "mkfifo": lambda: os.mkfifo(NEW),
    "bind": lambda: bind(NEW),
    "symlink": lambda: os.symlink("app.yaml", NEW),
    "link": lambda: os.link(FILE, NEW),
    "link of a link": lambda: os.link(LINK, NEW, follow_symlinks=False),
    "unlink": lambda: os.unlink(FILE),
    "unlink of a link": lambda: os.unlink(LINK),
    "rmdir": lambda: os.rmdir("mnt/empty"),
    "rmdir of one that is not empty": lambda: os.rmdir(DIRECTORY),
    "rename": lambda: os.rename(FILE, NEW),
    "rename over another": lambda: os.rename(FILE, "mnt/other"),
    "rename of a directory": lambda: os.rename(DIRECTORY, "mnt/dir2"),
    "rename into a directory": lambda: os.rename(FILE, DIRECTORY + "/new"),
    "rename out of .plyfs": lambda: os.rename("mnt/.plyfs/status", NEW),
    "renameat2 RENAME_NOREPLACE": lambda: renameat2(FILE, NEW, 1),
    "renameat2 RENAME_EXCHANGE": lambda: renameat2(FILE, "mnt/other", 2),
    "renameat2 RENAME_WHITEOUT": lambda: renameat2(FILE, NEW, 4),
}
if os.getuid() == 0:
    CALLS["mknod of a device"] = lambda: os.mknod(NEW, stat.S_IFCHR | 0o600, os.makedev(0, 0))



def prepare():
    shutil.rmtree("mnt", ignore_errors=True)
    shutil.copytree("low", "mnt", symlinks=True)
    os.mkdir("mnt/.plyfs")
    open("mnt/.plyfs/status", "w").close()


def twin():
    succeed = 0
    for call in CALLS.values():
        prepare()
        try:
            call()
            succeed += 1
        except OSError:
            pass
    prepare()
    shutil.rmtree("mnt/.plyfs")
    print(succeed)


def check_calls():
    for name, call in CALLS.items():
        try:
            call()
            bad.append(f"{name}: succeeds")
        except OSError as error:
            if error.errno not in allowed:
                bad.append(f"{name}: {os.strerror(error.errno)}")
    # A file without a name: the kernel has another error for file systems that can't make one at all.
    try:
        os.close(os.open(DIRECTORY, os.O_TMPFILE | os.O_WRONLY))
        bad.append("open O_TMPFILE: succeeds")
    except OSError as error:
        if error.errno not in allowed | {errno.EOPNOTSUPP}:
            bad.append(f"open O_TMPFILE: {os.strerror(error.errno)}")


def check_rest():
    if not os.access("mnt/app.yaml", os.R_OK) or os.access("mnt/app.yaml", os.W_OK):
        bad.append("access(2) tells it wrong")
    if not os.statvfs("mnt/dir").f_flag & os.ST_RDONLY and len(allowed) == 1:
        bad.append("statvfs does not say that it is read-only")
    names = sorted(os.listdir("mnt"))
    if os.path.lexists(NEW) or names != ["app.yaml", "dir", "empty", "link", "other"]:
        bad.append(f"something has changed: {names}")


if "--twin" in sys.argv:
    twin()
else:
    check_calls()
    check_rest()
    print("\n".join(bad))
    sys.exit(1 if bad else 0)
