#!/usr/bin/env python3
"""A reference of git becomes files. No hook, no filter and no link out of the repository has an effect. Rewritten
history is reported, foreign history and mass deletion are held back, and --verify takes only signed commits."""
import json
import os
import re
import shutil
import signal
import subprocess

import stores
from stores import expect

stores.need("git")
ENVIRONMENT = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="a",
                   GIT_AUTHOR_EMAIL="a@localhost", GIT_COMMITTER_NAME="c", GIT_COMMITTER_EMAIL="c@localhost",
                   HOME=stores.DIRECTORY)
os.environ.update(ENVIRONMENT)
work = stores.path("work")


def git(*words, where=work):
    return subprocess.run(["git", *words], cwd=where, env=ENVIRONMENT, check=True, capture_output=True,
                          text=True).stdout.strip()


def write(name, text):
    os.makedirs(os.path.dirname(os.path.join(work, name)), exist_ok=True)
    with open(os.path.join(work, name), "w", encoding="utf-8") as file:
        file.write(text)


def commit(*more):
    git("add", "-A")
    git("commit", "-q", "--allow-empty", *more, "-m", "x")
    return git("rev-parse", "HEAD")


def reset(where):
    git("-c", "filter.evil.smudge=cat", "reset", "-q", "--hard", where)


def comes_to(mirror, revision):
    mirror.hup()
    stores.eventually("the commit is there", lambda: mirror.status().get("revision") == revision or
                      (mirror.status(), open(mirror.log, encoding="utf-8").read()))


os.makedirs(work)
git("init", "-q", "-b", "main")
write("conf/app.yaml", "a: 1\n")
write("conf/sub/b.yaml", "b: 1\n")
write("conf/run", "#!/bin/sh\n")
os.chmod(os.path.join(work, "conf/run"), 0o755)
os.symlink("sub/b.yaml", os.path.join(work, "conf/inner"))
os.symlink("/etc/passwd", os.path.join(work, "conf/absolute"))
os.symlink("../other", os.path.join(work, "conf/outer"))
os.symlink("sub/../../other", os.path.join(work, "conf/sly"))
write("other", "not mirrored\n")
# A filter and a hook that would show if they ran.
write(".gitattributes", "*.yaml filter=evil ident eol=crlf\n")
write("conf/.gitattributes", "* filter=evil\n")
git("config", "filter.evil.smudge", f"touch {stores.path('evil-ran')}; cat")
first = commit()
mirror = stores.Mirror("git", "--ref", "main", "--path", "/conf/", "--interval", "86400", work).start()
stores.eventually("the first commit is there", lambda: mirror.status().get("revision") == first or
                  (mirror.status(), open(mirror.log, encoding="utf-8").read()))
found = mirror.files()
expect("the files", sorted(found) == [b".gitattributes", b"app.yaml", b"inner", b"run", b"sub/b.yaml"], found)
expect("bytes are as they were committed", found[b"app.yaml"] == b"a: 1\n", found)
expect("a link inside stays one", os.readlink(f"{mirror.directory}/inner") == "sub/b.yaml")
expect("modes", [os.stat(f"{mirror.directory}/{name}").st_mode & 0o777 for name in ("run", "app.yaml")] == [0o755, 0o644])
troubles = mirror.troubles()
expect("links that lead out are troubles", sorted(troubles) == ["file absolute", "file outer", "file sly"], troubles)

# Users who can't read the files can't read them in the repository, either.
for mode, shown in ("0640", 0o750), ("0600", 0o700), ("0664", 0o755):
    closed = stores.Mirror("git", "--ref", "main", "--mode", mode, work, name="closed").start()
    stores.eventually(f"the repository is closed as {mode} says", lambda: os.path.exists(f"{closed.directory}/other") and
                      os.stat(stores.path(".closed.mirror/git")).st_mode & 0o777 == shown)
    closed.kill()

# The link comes back without a commit, also while the store is away.
looking = stores.Mirror("git", "--ref", "main", "--interval", "1", work, name="looking").start()
stores.eventually("it is mirrored", lambda: looking.status().get("revision") == first)
os.unlink(looking.directory)
stores.eventually("the link is there again", lambda: os.path.exists(f"{looking.directory}/other"))
os.rename(work, f"{work}.away")
stores.eventually("the store is away", lambda: not looking.status()["connected"])
os.unlink(looking.directory)
stores.eventually("the link is there in the outage", lambda: os.path.exists(f"{looking.directory}/other"))
looking.kill()
os.rename(f"{work}.away", work)

# A commit: a file that stays the same keeps its inode.
before = os.stat(f"{mirror.directory}/sub/b.yaml").st_ino
write("conf/app.yaml", "a: 2\n")
os.unlink(os.path.join(work, "conf/sly"))
second = commit()
comes_to(mirror, second)
expect("the new content", mirror.files()[b"app.yaml"] == b"a: 2\n")
expect("the same inode", os.stat(f"{mirror.directory}/sub/b.yaml").st_ino == before)
expect("a trouble ends with its file", "file sly" not in mirror.troubles(), mirror.troubles())

# The repository is away; the mirror is killed and started: the last state is served.
os.rename(work, work + ".away")
mirror.kill()
mirror.start()
stores.eventually("what there was is served", lambda: mirror.files().get(b"app.yaml") == b"a: 2\n")
mirror.has_trouble("store", "work")
os.rename(work + ".away", work)
comes_to(mirror, second)
stores.eventually("the trouble ends", lambda: "store" not in mirror.troubles() or mirror.troubles())
# A shell that completes the name puts a slash behind it.
run = subprocess.run([stores.PLYFS, "mirror", "status", mirror.directory + "/"], capture_output=True, check=False)
expect("the status with a slash", run.returncode == 0 and second.encode() in run.stdout, run)

# Packs that a git has left incomplete do not pile up.
packs = stores.path(".fleet.mirror/git/objects/pack")
left = [f"{packs}/{name}" for name in ("tmp_pack_a1B2c3", "tmp_idx_a1B2c3", ".tmp-4711-pack-0123.pack",
                                       "pack-0123.keep")]
for name in left:
    with open(name, "wb") as file:
        file.write(b"PACK")
mirror.hup()
stores.eventually("they are removed", lambda: not any(map(os.path.exists, left)) or os.listdir(packs))

# Killed while it works, again and again.
for number in range(10):
    write("conf/app.yaml", f"n: {number}\n")
    last = commit()
    mirror.hup()
    stores.time.sleep(stores.random.random() * 0.2)
    mirror.kill()
    mirror.start()
comes_to(mirror, last)
expect("the last content", mirror.files()[b"app.yaml"] == b"n: 9\n")

# Rewritten history is taken, with an error until the next commit.
write("conf/app.yaml", "a: rewritten\n")
rewritten = commit("--amend")
comes_to(mirror, rewritten)
mirror.has_trouble("history", "rewritten")
write("conf/app.yaml", "a: 4\n")
comes_to(mirror, commit())
expect("the trouble ends with the next commit", "history" not in mirror.troubles(), mirror.troubles())

# Too many files go away at once: held back until it is confirmed.
for name in ("run", "sub/b.yaml", "inner"):
    os.unlink(f"{work}/conf/{name}")
deleted = commit()
mirror.hup()
mirror.has_trouble("suspicion", "3 of 5 files")
expect("nothing went away", b"run" in mirror.files())
mirror.confirm()
comes_to(mirror, deleted)
expect("now it did", b"run" not in mirror.files())
expect("the suspicion is gone", "suspicion" not in mirror.troubles(), mirror.troubles())

# Another one is taken back: nothing that was said of it stays.
undone = stores.Mirror("git", "--ref", "main", "--path", "conf", "--interval", "1", work, name="undone").start()
stores.eventually("it is mirrored", lambda: undone.status().get("revision") == deleted)
before = undone.troubles()
os.rename(f"{work}/conf/app.yaml", f"{work}/.git/app.yaml")
os.rename(f"{work}/conf/.gitattributes", f"{work}/.git/attributes")
os.symlink("/etc/passwd", f"{work}/conf/bad")
commit()
undone.has_trouble("suspicion", "2 of 2 files")
expect("the link is told", "file bad" in undone.troubles(), undone.troubles())
git("reset", "-q", deleted)
os.unlink(f"{work}/conf/bad")
os.rename(f"{work}/.git/app.yaml", f"{work}/conf/app.yaml")
os.rename(f"{work}/.git/attributes", f"{work}/conf/.gitattributes")
stores.eventually("both troubles end", lambda: undone.troubles() == before or undone.troubles())
# Nor that it rewrites the history, which it would only if it were accepted.
write("conf/new.yaml", "new: 1\n")
tip = commit()
stores.eventually("it is taken", lambda: undone.status().get("revision") == tip)
reset(f"{deleted}^")
for name in ("run", "sub/b.yaml", "inner", "app.yaml", ".gitattributes"):
    os.unlink(f"{work}/conf/{name}")
write("conf/other.yaml", "other: 1\n")
commit()
undone.has_trouble("suspicion", "3 of 3 files")
expect("it is not accepted", "history" not in undone.troubles(), undone.troubles())
reset(tip)
stores.eventually("the trouble ends", lambda: undone.troubles() == before or undone.troubles())
expect("the present commit stays", undone.status()["revision"] == tip, undone.status())
reset(deleted)
undone.kill(signal.SIGTERM)

# Foreign history.
git("checkout", "-q", "--orphan", "fresh")
write("conf/app.yaml", "a: foreign\n")
foreign = commit()
git("branch", "-f", "main", "fresh")
os.rename(work, work + ".away")
mirror.hup()
mirror.has_trouble("store", "work")
os.rename(work + ".away", work)
mirror.hup()
mirror.has_trouble("suspicion", "nothing in common")
expect("it is not taken", mirror.files()[b"app.yaml"] == b"a: 4\n")
stores.eventually("the repository has answered", lambda: "store" not in mirror.troubles() or mirror.troubles())
expect("so the mirror is connected", mirror.status()["connected"], mirror.status())
mirror.confirm()
comes_to(mirror, foreign)
expect("confirmed, it is taken", mirror.files()[b"app.yaml"] == b"a: foreign\n")
mirror.kill(signal.SIGTERM)
expect("no filter ran", not os.path.exists(stores.path("evil-ran")))

# An object is on the disk before a reference names it, so a power failure leaves none empty. Since 2.36 git says what
# it has waited for.
if tuple(map(int, re.findall(r"\d+", git("version"))[:2])) >= (2, 36):
    os.mkdir(stores.path("traced"))
    with open(stores.path("traced/git"), "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nGIT_TRACE2_EVENT=${{GIT_DIR%/*}}/trace exec {shutil.which('git')} \"$@\"\n")
    os.chmod(stores.path("traced/git"), 0o755)
    os.environ["PATH"] = f"{stores.path('traced')}:{os.environ['PATH']}"
    traced = stores.Mirror("git", "--ref", "fresh", "--path", "conf", work, name="traced-tree").start()
    stores.eventually("it is mirrored", lambda: traced.status().get("revision") == foreign)
    write("other", "not mirrored, and new\n")
    comes_to(traced, commit())
    traced.kill(signal.SIGTERM)
    os.environ["PATH"] = os.environ["PATH"].split(":", 1)[1]
    with open(stores.path(".traced-tree.mirror/trace"), encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    unpackers = {event["sid"] for event in events if event.get("name") == "unpack-objects"}
    synced = {event["sid"] for event in events if event.get("key") == "fsync/hardware-flush" and int(event["value"])}
    expect("objects are waited for", unpackers and unpackers <= synced, (unpackers, synced))

# A directory that the commit does not have.
lost = stores.Mirror("git", "--ref", "main", "--path", "nowhere", work, name="lost").start()
lost.has_trouble("store", "has no directory 'nowhere'; correct the path")
lost.kill(signal.SIGTERM)

# The message has the cause and the remedy, and git's words behind them.
for url, why in ((stores.path("none"), "there is no git repository; correct the URL (fatal: "),
                 ("http://127.0.0.1:1/x", "the host can't be reached; correct the URL, or start it (fatal: ")):
    none = stores.Mirror("git", "--ref", "main", url, name="none").start()
    none.has_trouble("store", why)
    none.kill(signal.SIGTERM)

# A shallow copy in the repository's place: git leaves its commit out, and ends well.
whole, copy = stores.path("whole"), stores.path("copy")
git("clone", "-q", work, whole)
copied = git("rev-parse", "HEAD", where=whole)
shallow = stores.Mirror("git", "--interval", "86400", whole, name="shallow").start()
stores.eventually("it is mirrored", lambda: shallow.status().get("revision") == copied or shallow.status())
for text in "shallow: 1\n", "shallow: 2\n":
    write("conf/app.yaml", text)
    commit()
git("clone", "-q", "--depth", "1", f"file://{work}", copy)
os.rename(whole, f"{whole}.away")
os.rename(copy, whole)
shallow.hup()
shallow.has_trouble("store", "is a shallow copy, without the commits before; complete it")
git("fetch", "-q", "--unshallow", where=whole)
comes_to(shallow, git("rev-parse", "HEAD", where=whole))
expect("the trouble ends", "store" not in shallow.troubles(), shallow.troubles())
shallow.kill(signal.SIGTERM)

# A URL that leads to no repository is refused.
for url, why in (("ext::sh -c id", "no URL"), ("--upload-pack=id", "mirror"), ("https://u:secret@h/x", "netrc"),
                 ("ssh://u:secret@h/x", "a key of ssh")):
    said = subprocess.run([stores.PLYFS, "mirror", "git", url, stores.path("refused")], capture_output=True,
                          text=True, check=False, timeout=120)
    expect(f"{url} is refused", said.returncode != 0 and why in said.stderr and "secret" not in said.stderr, said)



def make_ssh_keys():
    """Returns the paths of the public keys, and the names to sign by: good and evil."""
    for name in ("good", "evil"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", stores.path(name)], check=True)
    return stores.path("good.pub"), stores.path("evil.pub"), stores.path("good"), stores.path("evil")


def make_gpg_keys():
    home = stores.path("gnupg")
    os.mkdir(home, 0o700)
    ENVIRONMENT["GNUPGHOME"] = home
    stores.ENDINGS.append(lambda: subprocess.run(["gpgconf", "--kill", "all"], env=ENVIRONMENT, check=False))
    for name in ("good", "evil"):
        subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", f"{name}@localhost",
                        "ed25519", "sign"], env=ENVIRONMENT, check=True, capture_output=True)
        with open(stores.path(f"{name}.asc"), "wb") as file:
            subprocess.run(["gpg", "--batch", "--armor", "--export", f"{name}@localhost"], env=ENVIRONMENT, check=True,
                           stdout=file)
    return stores.path("good.asc"), stores.path("evil.asc"), "good@localhost", "evil@localhost"


def takes_signed_commits_alone(kind, make_keys):
    public, other, good, evil = make_keys()
    git("config", "gpg.format", kind)
    name = f"strict-{kind}"
    trusted = shutil.copy(public, stores.path(f"trusted-{kind}"))

    def push(text, signer):
        write("conf/app.yaml", f"{text}\n")
        git("config", "user.signingkey", signer or "")
        revision = commit(*["-S"] if signer else [])
        git("branch", "-f", "main")
        return revision

    first = push("signed: 1", good)
    strict = stores.Mirror("git", "--ref", "main", "--path", "conf", "--interval", "86400", "--verify", trusted, work,
                           name=name).start()
    stores.eventually("a signed commit is taken", lambda: strict.status().get("revision") == first or strict.status())
    for signer in (evil, None):
        push(f"not: {signer}", signer)
        strict.hup()
        stores.time.sleep(0.3)
        strict.has_trouble("signature", "not signed by the key")
        expect("it is not taken", strict.files()[b"app.yaml"] == b"signed: 1\n")
    # Unsigned commits may stand before a signed one.
    comes_to(strict, push("signed: 2", good))
    expect("no trouble is left", "signature" not in strict.troubles(), strict.troubles())
    # Only the key of the file counts, whatever other keys the user has: also after a start.
    strict.kill()
    away = push("not: while away", evil)
    strict.start()
    strict.has_trouble("signature", "not signed by the key")
    expect("it is not taken", strict.files()[b"app.yaml"] == b"signed: 2\n")
    # A key that is put in the place of that one counts from now on, and the former no more.
    shutil.copy(other, trusted)
    comes_to(strict, away)
    # The present commit is by the former key: that is an error, but its files are compared, and put back.
    shutil.copy(public, trusted)
    os.unlink(f"{strict.directory}/app.yaml")
    strict.hup()
    strict.has_trouble("signature", f"{away} is not signed by the key")
    stores.eventually("what is missing is put back", lambda: strict.files().get(b"app.yaml") == b"not: while away\n" or
                      strict.files())
    shutil.copy(other, trusted)
    strict.hup()
    stores.eventually("the trouble ends", lambda: "signature" not in strict.troubles() or strict.troubles())
    push("by the former key", good)
    strict.hup()
    strict.has_trouble("signature", "not signed by the key")
    expect("it is not taken", strict.files()[b"app.yaml"] == b"not: while away\n")
    # Without a key that can be read, no commit is taken.
    os.unlink(trusted)
    push("without a key", evil)
    strict.hup()
    strict.has_trouble("signature", "can't be opened")
    expect("it is not taken", strict.files()[b"app.yaml"] == b"not: while away\n")
    # A pipe in its place is not waited for.
    os.mkfifo(trusted)
    strict.hup()
    strict.has_trouble("signature", "is no regular file")
    strict.kill()
    # What is wrong with the present commit's key alone ends with that.
    os.unlink(trusted)
    shutil.copy(other, trusted)
    back = stores.Mirror("git", "--ref", "main", "--path", "conf", "--interval", "1", "--verify", trusted, work,
                         name=f"back-{kind}").start()
    present = git("rev-parse", "HEAD")
    stores.eventually("a signed commit is taken", lambda: back.status().get("revision") == present or back.status())
    os.rename(trusted, f"{trusted}.away")
    back.hup()
    back.has_trouble("signature", "can't be opened")
    os.rename(f"{trusted}.away", trusted)
    stores.eventually("the trouble ends", lambda: "signature" not in back.troubles() or back.troubles())
    back.kill()
    # A pipe could be read once only.
    said = subprocess.run(["bash", "-c", '"$1" mirror git --verify <(cat "$2") "$3" "$4"', "bash", stores.PLYFS, public, work,
                           stores.path("piped")], capture_output=True, text=True, check=False, timeout=120)
    expect("a pipe is refused", said.returncode != 0 and "is no regular file; the key is read from a file" in said.stderr, said)


if shutil.which("ssh-keygen"):
    takes_signed_commits_alone("ssh", make_ssh_keys)
if shutil.which("gpg"):
    takes_signed_commits_alone("openpgp", make_gpg_keys)
