#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
cat >write.py <<'END'
import ctypes, mmap, os, sys
way, text = sys.argv[1], b"a: " + sys.argv[2].encode() + b"\n"
libc = ctypes.CDLL(None, use_errno=True)
path, beside = "low/app.yaml", "low/beside"
def put(name):
    with open(name, "wb") as file:
        file.write(text)
def renameat2(old, new, flags):
    if libc.renameat2(-100, old.encode(), -100, new.encode(), flags) < 0:
        raise OSError(ctypes.get_errno(), "renameat2")
if way == "exchange":
    put(beside)
    renameat2(beside, path, 2)
    os.unlink(beside)
elif way == "tmpfile":
    fd = os.open("low", os.O_TMPFILE | os.O_WRONLY, 0o644)
    os.write(fd, text)
    os.unlink(path)
    if libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, path.encode(), 0x400) < 0:
        raise OSError(ctypes.get_errno(), "linkat")
    os.close(fd)
elif way == "mmap":
    with open(path, "r+b") as file:
        file.truncate(len(text))
        with mmap.mmap(file.fileno(), len(text)) as map:
            map[:] = text
elif way == "truncate":
    with open(path, "wb") as file:
        file.write(text + b"more: 1\n")
    os.truncate(path, len(text))
elif way == "copy_file_range":
    put("outside")
    with open("outside", "rb") as old, open(path, "wb") as new:
        os.copy_file_range(old.fileno(), new.fileno(), len(text))
elif way == "sendfile":
    put("outside")
    with open("outside", "rb") as old, open(path, "wb") as new:
        os.sendfile(new.fileno(), old.fileno(), 0, len(text))
elif way == "bytes":
    with open(path, "wb", buffering=0) as file:
        for byte in text:
            file.write(bytes([byte]))
elif way == "pieces":
    with open(path, "r+b", buffering=0) as file:
        os.pwrite(file.fileno(), text[3:], 3)
        os.ftruncate(file.fileno(), len(text))
elif way == "link":
    put("outside")
    os.unlink(path)
    os.link("outside", path)
elif way == "directory":
    os.mkdir("aside")
    put("aside/app.yaml")
    os.rename("low/app.yaml", "old")
    os.rename("aside/app.yaml", "low/app.yaml")
    os.rmdir("aside")
elif way == "child":
    if os.fork() == 0:
        put(path)
        os._exit(0)
    os.wait()
elif way == "rename":
    put("outside")
    os.rename("outside", path)
elif way == "backup":  # as vim saves
    os.rename(path, path + "~")
    put(path)
    os.unlink(path + "~")
elif way == "append":
    put(path)
    with open(path, "ab") as file:
        file.write(b"# more\n")
elif way == "empty":
    os.truncate(path, 0)
    put(path)
END
echo 'a: 0' >low/app.yaml
echo 'b: 1' >high/app.yaml
start
shows mnt/app.yaml $'a: 0\nb: 1'
number=0
for way in exchange tmpfile mmap truncate copy_file_range sendfile bytes pieces link directory child rename backup append empty; do
	number=$((number + 1))
	python3 write.py $way $number
	eventually is mnt/app.yaml $'a: '$number$'\nb: 1' || fail "$way is not seen: $(cat mnt/app.yaml)"
done
comes_to_list mnt app.yaml
: >low/app.yaml
comes_to_show mnt/app.yaml 'b: 1'

# A write that takes long: it shows when it pauses.
exec 5>low/app.yaml
echo 'a: first' >&5
comes_to_show mnt/app.yaml $'a: first\nb: 1'
echo 'c: second' >&5
comes_to_show mnt/app.yaml $'a: first\nc: second\nb: 1'
exec 5>&-
