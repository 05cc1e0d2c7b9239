"""The file systems that plyfs is measured beside: each shows the same files, with all caches that it has."""
import os
import shutil
import subprocess
import time

# Seconds that the kernel may keep its caches: all of them may cache as long as plyfs does.
FOREVER = 1000000


class Mount:
    """A program that shows `layers`, the lowest first, at `mountpoint`."""
    binary = None

    def __init__(self, mountpoint, layers, top):
        self.mountpoint, self.layers, self.top = mountpoint, layers, top
        self.error = None

    def command(self):
        raise NotImplementedError

    def start(self):
        os.makedirs(self.mountpoint, exist_ok=True)
        if not shutil.which(self.binary):
            self.error = "not installed"
            return False
        done = subprocess.run(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 5
        while not os.path.ismount(self.mountpoint) and time.monotonic() < deadline:
            time.sleep(0.01)
        if done.returncode or not os.path.ismount(self.mountpoint):
            self.error = "can't be mounted: " + (done.stderr.strip().splitlines() or ["?"])[-1]
        return not self.error

    def stop(self):
        if os.path.ismount(self.mountpoint):
            subprocess.run(["umount", self.mountpoint], check=True)


class Disk(Mount):
    """The files themselves, with as many names in the path to them."""
    def start(self):
        self.mountpoint = self.top
        return True

    def stop(self):
        pass


class Plyfs(Mount):
    def start(self):
        if not super().start():
            raise RuntimeError(f"plyfs: {self.error}")
        return True

    def command(self):
        return [self.binary, "mount", "-o", "noheader", ":".join(self.layers), self.mountpoint]


class Floor(Mount):
    """The least cost of any FUSE file system here: shows app.yaml of `top` alone (floor.c)."""
    def command(self):
        return [self.binary, f"{self.top}/app.yaml", self.mountpoint]


class Overlayfs(Mount):
    binary = "mount"

    def command(self):
        lower = ":".join([self.top, *reversed(self.layers)])
        return ["mount", "-t", "overlay", "overlay", "-o", f"ro,lowerdir={lower}", self.mountpoint]


class Unionfs(Mount):
    binary = "unionfs"

    def command(self):
        branches = ":".join(f"{layer}=RO" for layer in [self.top, *reversed(self.layers)])
        return ["unionfs", "-o", f"kernel_cache,entry_timeout={FOREVER},attr_timeout={FOREVER},"
                f"negative_timeout={FOREVER}", branches, self.mountpoint]


class Bindfs(Mount):
    binary = "bindfs"

    def command(self):
        return ["bindfs", "-r", "-o", f"kernel_cache,entry_timeout={FOREVER},attr_timeout={FOREVER},"
                f"negative_timeout={FOREVER}", self.top, self.mountpoint]


class FuseOverlayfs(Mount):
    binary = "fuse-overlayfs"

    def command(self):
        lower = ":".join([self.top, *reversed(self.layers)])
        return ["fuse-overlayfs", "-o", f"lowerdir={lower},timeout={FOREVER}", self.mountpoint]


class Mergerfs(Mount):
    binary = "mergerfs"

    def command(self):
        branches = ":".join(f"{layer}=RO" for layer in [self.top, *reversed(self.layers)])
        return ["mergerfs", "-o", f"cache.files=full,cache.entry={FOREVER},cache.attr={FOREVER},"
                f"cache.negative_entry={FOREVER},cache.readdir=true,cache.symlinks=true,"
                "dropcacheonclose=false", branches, self.mountpoint]


ALL = {"ext4": Disk, "plyfs": Plyfs, "overlayfs": Overlayfs, "unionfs-fuse": Unionfs, "bindfs": Bindfs,
       "fuse-overlayfs": FuseOverlayfs, "mergerfs": Mergerfs}
