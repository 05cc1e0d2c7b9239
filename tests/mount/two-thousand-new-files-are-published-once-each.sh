#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need python3 inotifywait
cat >tool.py <<'END'
import os, sys, time
command, *rest = sys.argv[1:]
names = [f"{number}.yaml" for number in range(2000)]
if command == "make":
    directory, text = rest
    os.makedirs(directory)
    for number, name in enumerate(names):
        with open(f"{directory}/{name}", "w") as file:
            file.write(f"{text}{number}\n")
elif command == "copy":
    # As cp(1) does it. plyfs waits for a writer, but not for ever: names that were open for long are printed.
    source, target = rest
    for name in names:
        with open(f"{source}/{name}") as old:
            text = old.read()
        begun = time.monotonic()
        with open(f"{target}/{name}", "w") as new:
            new.write(text)
        if time.monotonic() - begun > 0.8:
            print(name)
else:
    # As rsync(1) does it: a new file beside the old one, its time and mode, and then the rename.
    source, target = rest
    for name in names:
        beside = f"{target}/.{name}.Xq7bTz"
        with open(f"{source}/{name}") as old, open(beside, "x") as new:
            new.write(old.read())
        os.utime(beside, (978307200, 978307200))
        os.chmod(beside, 0o644)
        os.rename(beside, f"{target}/{name}")
END
like_rsync() {
	if command -v rsync >/dev/null; then
		rsync -a --checksum "$1/" "$2/"
	else
		python3 tool.py sync "$1" "$2"
	fi
}
in_place() { python3 tool.py copy "$1" "$2" >slow; }

python3 tool.py make low/sub 'a: '
python3 tool.py make high/sub 'b: old-'
python3 tool.py make one 'b: one-'
python3 tool.py make two 'b: two-'
start
[ "$(cat mnt/sub/* | wc -l)" -eq 4000 ] || fail "not all are there"
for way in 'like_rsync one' 'in_place two'; do
	: >slow
	watch mnt/sub
	$way high/sub
	comes_to_show mnt/sub/1999.yaml $'a: 1999\nb: '"${way#* }-1999"
	arrived() { [ "$(grep -c 'MOVED_TO [0-9]' events)" -ge 2000 ]; }
	eventually arrived || fail "$way: only $(grep -c 'MOVED_TO [0-9]' events) events"
	unwatch
	# rsync's own name for the new file may show, too, as on a disk.
	grep -v 'ATTRIB\| \.[0-9]' events | sort | uniq -c | awk '{ print $1, $3, $4 }' >seen
	[ "$(wc -l <seen)" -eq 2000 ] || fail "$way: $(wc -l <seen) paths were published"
	if grep -v '^1 MOVED_TO ' seen | grep -vwFf slow; then
		fail "$way: not each path was published once, see above"
	fi
done
comes_to_equal_fresh
