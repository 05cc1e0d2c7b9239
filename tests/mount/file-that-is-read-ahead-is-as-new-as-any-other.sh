#!/bin/bash
. "$(dirname "$0")/mount.sh"

# When two files in a row are looked up in the order of the listing, plyfs looks at the next ones before it is asked
# for them. Whatever happens to a file after that, the first lookup finds it.
need python3
mkdir elsewhere
python3 - <<'END'
for number in range(600):
    for layer in "low", "high":
        with open(f"{layer}/{number:03}.yaml", "w") as file:
            file.write(f"{layer}: old\n")
    with open(f"elsewhere/{number:03}.yaml", "w") as file:
        file.write("elsewhere: old\n")
END
start
python3 - <<'END' || fail "a file that was read ahead is shown as it was before"
import os, sys, time

def write(path, text):
    with open(path, "w") as file:
        file.write(text)

def rename(name):
    write("elsewhere/new", "high: new\n")
    os.rename("elsewhere/new", f"high/{name}")
    return "new"

def write_in_place(name):
    write(f"low/{name}", "low: new\n")
    return "new"

def remove_one(name):
    os.unlink(f"high/{name}")
    return "low: old\n"

def remove_both(name):
    os.unlink(f"high/{name}")
    os.unlink(f"low/{name}")
    return None

def hide(name):
    os.unlink(f"high/{name}")
    write(f"high/.wh.{name}", "")
    return None

def lead_elsewhere(name):
    os.unlink(f"high/{name}")
    os.symlink(f"../elsewhere/{name}", f"high/{name}")
    return "elsewhere"

def take_rights(name):
    os.chmod(f"low/{name}", 0o600)
    return 0o400

def write_by_another_name(name):
    os.link(f"low/{name}", f"elsewhere/other-{name}")
    write(f"elsewhere/other-{name}", "low: new\n")
    return "new"

def make_broken(name):
    write(f"high/{name}", "high: [\n")
    return OSError

def make_directory(name):
    remove_both(name)
    os.mkdir(f"high/{name}")
    return IsADirectoryError

def find(name):
    if not os.path.exists(f"mnt/{name}"):
        return None
    try:
        with open(f"mnt/{name}") as file:
            return file.read()
    except OSError as error:
        return type(error)

def shows(name, wanted):
    """Returns whether the name shows what is wanted, and what it shows."""
    if wanted == 0o400:
        found = oct(os.stat(f"mnt/{name}").st_mode & 0o777)
        return found == "0o400", found
    found = find(name)
    if wanted is OSError:
        return isinstance(found, type), found
    if wanted is IsADirectoryError:
        return found in (None, IsADirectoryError), found  # a new directory may show a moment later
    return found == wanted or bool(wanted and isinstance(found, str) and wanted in found), found

changes = [rename, write_in_place, remove_one, remove_both, hide, lead_elsewhere, take_rights, write_by_another_name,
           make_broken, make_directory]
names = [name for name in os.listdir("mnt") if name.endswith(".yaml")]
late = {}
halves = []
for round in range(len(names) // 6):
    first, second, name, *_ = names[6 * round:]
    change = changes[round % len(changes)]
    find(first)
    find(second)
    time.sleep(0.01 * (round % 3))
    began = time.monotonic()
    wanted = change(name)
    is_slow = time.monotonic() - began > 0.001
    is_right, found = shows(name, wanted)
    if not is_right and is_slow:
        halves.append((name, wanted))
    elif not is_right:
        late.setdefault(change.__name__, []).append((name, found))
# A busy machine may stand still in the middle of a change of two steps. Half of it is published, and the rest follows.
end = time.monotonic() + 60
for name, wanted in halves:
    while not shows(name, wanted)[0] and time.monotonic() < end:
        time.sleep(0.05)
    if not shows(name, wanted)[0]:
        late.setdefault("half", []).append((name, find(name)))
if len(halves) > 30:
    late["halves"] = len(halves)
print(late)
sys.exit(bool(late))
END
