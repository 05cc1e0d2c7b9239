#!/bin/bash
. "$(dirname "$0")/mount.sh"

# cp -p, rsync -t and reproducible builds write new bytes with the old size and modification time. A file of more than
# 4 MiB is not copied: only the change time tells that it is another one.
need python3
size=5000000
fill() { head -c $size /dev/zero | tr '\0' "$1"; }
mkdir low/d
fill A >low/d/big
fill B >new
touch -d @1 low/d/big new
start

# Programs that have it open get the old bytes or an error, never both kinds.
cat >reader.py <<'X'
import subprocess, sys, time
file = open("mnt/d/big", "rb", buffering=0)
got = set(file.read(1 << 17))
subprocess.run(sys.argv[1:], check=True)
time.sleep(0.5)
try:
    while block := file.read(1 << 17):
        got |= set(block)
except OSError as error:
    print(error.strerror)
print(*sorted(map(chr, got)))
X
[ "$(python3 reader.py cp -p new low/d/big)" = $'Stale file handle\nA' ] || fail "it is mixed: $(python3 reader.py cp -p new low/d/big)"
begins_with() { [ "$(head -c 1 mnt/d/big)" = "$1" ]; }
eventually begins_with B || fail "the new bytes do not show"
# A name that is made or removed changes no byte.
[ "$(python3 reader.py ln low/d/big other)" = B ] || fail "another name makes it stale"
[ "$(python3 reader.py rm low/d/big)" = B ] || fail "a removed file can't be read to its end"
rm other
comes_to_vanish mnt/d/big

# The kernel has forgotten the file: watchers of the directory are woken all the same, and it has a new number.
for times in '2026-01-01 2026-02-01' '2026-03-01 2026-03-01'; do
	fill A >low/d/big
	fill B >new
	touch -d "${times% *}" low/d/big
	touch -d "${times#* }" new
	eventually begins_with A
	number=$(stat -c %i mnt/d/big)
	if [ "$(id -u)" -eq 0 ]; then
		sync
		echo 2 >/proc/sys/vm/drop_caches 2>/dev/null || true
	fi
	watch mnt/d
	cp -p new low/d/big
	eventually test -s events || fail "no watcher is woken ($times)"
	unwatch
	[ "$(stat -c %i mnt/d/big)" != "$number" ] || fail "it keeps its number ($times)"
	begins_with B || fail "the old bytes are shown ($times)"
done
stop
