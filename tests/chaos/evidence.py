"""Evidence for finding out why something differs: for each path, what the mount reports of it and its sources, what
lies in the layers, and its last changes.
"""
import json
import os
import stat
import time

import trees

LAST_S = 1  # the part of the journal that is not older than this is shown whole
LAST_LINES = 30  # and so many lines before it that name the path


def of_file(path):
    """Reads in a layer, through any links."""
    lines = []
    at = ""
    for name in path.split("/"):
        at = os.path.join(at, name)
        try:
            status = os.lstat(at)
        except OSError as error:
            lines.append(f"    {at}: {error.strerror}")
            break
        line = f"    {at}: {stat.filemode(status.st_mode)} inode {status.st_ino} links {status.st_nlink} " \
               f"{status.st_size} bytes, changed {status.st_ctime_ns / 1e9:.4f}"
        if stat.S_ISLNK(status.st_mode):
            line += f" -> {os.readlink(at)}"
        lines.append(line)
    try:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                lines.append(f"        {file.read(1500)!r}")
    except OSError as error:
        lines.append(f"        {error.strerror}")
    return lines


def of_mount(path, mountpoint):
    lines = []
    try:
        with open(f"{mountpoint}/.plyfs/status", encoding="utf-8") as file:
            status = json.load(file)
        lines += [f"    {key}: {status.get(key)}" for key in ("publisher", "overflows", "watches", "polling", "settings")]
        lines += [f"    {trouble}" for trouble in status.get("troubles", []) if path in str(trouble)]
    except (OSError, ValueError) as error:
        lines.append(f"    no status: {error}")
    lines.append(f"    {trees.attributes_of(os.path.join(mountpoint, path))}")
    return lines


def about(path, layers, mountpoint):
    lines = [f"--- {path}", *of_mount(path, mountpoint)]
    for layer in layers:
        lines += of_file(os.path.join(layer, path))
    return "\n".join(lines)


def journal(journal, paths):
    """The journal's times are those of CLOCK_MONOTONIC; the files' are those of the wall clock."""
    try:
        with open(journal, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return ""
    last = max((float(line.split()[0]) for line in lines if " not: " not in line), default=0)
    names = {os.path.basename(path) for path in paths}
    named = [line for line in lines if any(name in line for name in names)][-LAST_LINES:]
    newest = [line for line in lines if float(line.split()[0]) > last - LAST_S]
    now = f"now it is {time.monotonic():.4f}, and {time.time():.4f} on the wall"
    return "\n".join([f"--- {journal}; {now}", *sorted(set(named + newest), key=lambda line: float(line.split()[0]))])
