"""All that a tree shows: names, kinds as listed and as stated, modes, owners, sizes, links, bytes, attributes."""
import errno
import os
import stat

ATTRIBUTES = ["user.plyfs.layers", "user.plyfs.sources", "user.plyfs.strategy"]

CIRCLES = 12  # nested directories; the changes make fewer


def attributes_of(path):
    found = {}
    for name in ATTRIBUTES:
        try:
            found[name] = os.getxattr(path, name, follow_symlinks=False)
        except OSError:
            pass
    return found


def facts_of(path, listed, with_attributes):
    status = os.lstat(path)
    facts = {"kind": stat.S_IFMT(status.st_mode), "listed": listed, "uid": status.st_uid, "gid": status.st_gid}
    if stat.S_ISLNK(status.st_mode):
        facts["target"] = os.readlink(path)
        return facts
    facts["mode"] = stat.S_IMODE(status.st_mode)
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            facts["bytes"] = file.read()
        facts["size"] = status.st_size
        if with_attributes:
            facts["attributes"] = attributes_of(path)
    return facts


def kind_as_listed(entry):
    for kind, is_it in ((stat.S_IFLNK, entry.is_symlink()), (stat.S_IFDIR, entry.is_dir(follow_symlinks=False)),
                        (stat.S_IFREG, entry.is_file(follow_symlinks=False))):
        if is_it:
            return kind
    return 0


def read(top, with_attributes=True):
    """Returns {path: facts}; the facts of a file that can't be read are its error's number."""
    found = {}
    directories = [""]
    while directories:
        directory = directories.pop()
        with os.scandir(os.path.join(top, directory)) as entries:
            for entry in sorted(entries, key=lambda entry: os.fsencode(entry.name)):
                path = os.path.join(directory, entry.name)
                if path == ".plyfs":
                    continue
                if path in found:
                    raise ValueError(f"{path} is listed twice")
                try:
                    found[path] = facts_of(os.path.join(top, path), kind_as_listed(entry), with_attributes)
                except OSError as error:
                    found[path] = error.errno
                    continue
                if found[path]["kind"] == stat.S_IFDIR:
                    directories.append(path)
    return found


def is_circle(path):
    """Links may lead in circles, and the kernel's limit of links decides how often they are followed."""
    return path.count("/") > CIRCLES


def is_broken(facts):
    return facts == errno.EIO


def short(facts):
    if not isinstance(facts, dict) or facts.get("bytes") is None:
        return str(facts)
    data = facts["bytes"]
    return str({**facts, "bytes": data if len(data) < 3000 else data[:200] + b" ..."})


def differences(one, other, keys=None):
    """Returns where two trees differ. A file that `other` can't read is no difference: `one` may keep what was good.
    With `keys` alone, `one` need not have it, either."""
    found = []
    for path in sorted(one.keys() | other.keys()):
        if is_circle(path):
            continue
        a, b = one.get(path), other.get(path)
        if is_broken(b) and (a is not None or keys):
            continue
        if keys and isinstance(a, dict) and isinstance(b, dict):
            a, b = ({key: facts.get(key) for key in keys} for facts in (a, b))
        if a != b:
            found.append(f"{path}:\n    {short(a)}\n    {short(b)}")
    return found
