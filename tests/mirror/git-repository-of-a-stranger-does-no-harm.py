#!/usr/bin/env python3
"""The content of a commit is hostile. A name or a link that can't be a file here is left out and reported, and all
else is shown. A name that would make git run programs is no file. A commit that would fill the disk is refused
before any of it is written."""
import os
import subprocess

import stores
from stores import expect

stores.need("git")
ENVIRONMENT = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="a",
                   GIT_AUTHOR_EMAIL="a@localhost", GIT_COMMITTER_NAME="c", GIT_COMMITTER_EMAIL="c@localhost",
                   HOME=stores.DIRECTORY)
os.environ.update(ENVIRONMENT)
work = stores.path("work")


def git(*words, text=b""):
    return subprocess.run(["git", *words], cwd=work, env=ENVIRONMENT, check=True, capture_output=True,
                          input=text).stdout.strip().decode()


def blob(text):
    return git("hash-object", "-w", "--stdin", text=text)


def tree(entries):
    """Makes a tree of [(mode, id, name)]; no name is refused."""
    return git("mktree", "-z", text=b"".join(
        f"{mode} {'tree' if mode == '040000' else 'blob'} {name_id}\t{name}\0".encode() for mode, name_id, name in entries))


def commit(entries):
    revision = git("commit-tree", "-m", "x", *(["-p", "main"] if os.listdir(f"{work}/.git/refs/heads") else []),
                   tree(entries))
    git("update-ref", "refs/heads/main", revision)
    return revision


os.makedirs(work)
git("init", "-q", "-b", "main")
plain = blob(b"a: 1\n")
config = tree([("100644", blob(b"[core]\n\tfsmonitor = id\n"), "config")])
first = commit([
    ("100644", plain, "app.yaml"), ("120000", blob(b"x/" * 3000 + b"y"), "long"), ("040000", config, ".git"),
    ("040000", tree([("040000", config, ".GIT"), ("100644", plain, "b.yaml")]), "sub"), ("100644", plain, ".gitignore")])
mirror = stores.Mirror("git", "--ref", "main", "--interval", "86400", work).start()
stores.eventually("the first commit is there", lambda: mirror.status().get("revision") == first or
                  (mirror.status(), open(mirror.log, encoding="utf-8").read()))
found = mirror.files()
expect("the files", sorted(found) == [b".gitignore", b"app.yaml", b"sub/b.yaml"], found)
troubles = mirror.troubles()
expect("each is told", sorted(troubles) == ["file .git/config", "file long", "file sub/.GIT/config"], troubles)

# A path that is longer than a line of git's output is left out, and all else is shown.
deep = tree([("100644", plain, "x")])
for _ in range(40):
    deep = tree([("040000", deep, "d" * 250)])
long = commit([("100644", plain, "app.yaml"), ("040000", deep, "deep"), ("100644", plain, ".gitignore"),
               ("040000", tree([("100644", plain, "b.yaml")]), "sub")])
mirror.hup()
stores.eventually("the commit is taken", lambda: mirror.status().get("revision") == long or mirror.status())
expect("the long path is left out", mirror.files() == found, mirror.files())
troubles = mirror.troubles()
expect("and told", len(troubles) == 1 and all("longer than 3500 bytes" in text for text in troubles.values()), troubles)

# A hundred names of one file: the fetched data are small.
zeros = blob(bytes(60 << 20))
commit([("100644", zeros, f"file-{number}") for number in range(100)])
mirror.hup()
mirror.has_trouble("store", "more than 4 GiB")
expect("nothing of it was written", not os.path.exists(stores.path(".fleet.mirror/draft")))
expect("what there was stays", mirror.files() == found)

# The error ends with the commit.
last = commit([("100644", plain, "app.yaml"), ("100644", plain, ".gitignore"), ("100644", plain, "sub")])
mirror.hup()
stores.eventually("the next commit is taken", lambda: mirror.status().get("revision") == last or mirror.status())
mirror.is_well()

# git takes NAME.git for NAME, also if it belongs to another user, who may have written its configuration.
if os.geteuid() == 0:
    bare = stores.path("bare.git")
    git("clone", "-q", "--bare", work, bare)
    subprocess.run(["chown", "-R", "nobody", bare], check=True)
    for number, url in enumerate((bare, bare[:-4], bare[:-4] + "/", f"file://{bare[:-4]}", f"file://{bare[:-5]}%65")):
        other = stores.Mirror("git", "--ref", "main", url, name=f"other{number}").start()
        other.has_trouble("store", "belongs to ")
        expect(f"{url} has no state", not other.files(), other.files())
        other.kill()
    subprocess.run(["chown", "-R", "root", bare], check=True)
    other = stores.Mirror("git", "--ref", "main", bare[:-4], name="other").start()
    stores.eventually("root's is taken", lambda: other.status().get("revision") == last or other.status())
    other.kill()
