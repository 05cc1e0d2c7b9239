#!/bin/bash
# plyfs render does not wait until files are on the disk. After a power failure a name may be there without its bytes,
# with its line in the manifest or without. The next run mends it, and reports no drift. In the same boot it is drift.
. "$(dirname "$0")/mount.sh"

need python3
# The file loses its bytes, and with "unknown" also its line.
fail_power() {
	python3 - "$@" <<'E'
import os, sys
tree, name, kind, boot = sys.argv[1:]
path = f"{tree}/..data/{name}" if os.path.islink(f"{tree}/..data") else f"{tree}/{name}"
os.truncate(path, 0)
manifest = f"{tree}/.plyfs/manifest"
with open(manifest) as file:
    lines = file.readlines()
with open(manifest, "w") as file:
    file.writelines(line for line in lines if kind == "known" or not line.endswith(f" {name}\n"))
if boot == "another" and os.path.exists(f"{tree}/.plyfs/boot"):
    with open(f"{tree}/.plyfs/boot", "w") as file:
        file.write("e8b3b1a8-0000-4000-8000-000000000000\n")
E
}

echo 'a: 1' >low/app.yaml
echo 'b: 1' >low/other.yaml
for options in '' '--drift=keep' '--atomic' '--atomic --drift=keep'; do
	for kind in known unknown; do
		tree="out $kind $options"
		"$PLYFS" render --no-header $options -l low:high "$tree"
		fail_power "$tree" app.yaml $kind another
		"$PLYFS" render --no-header $options -l low:high "$tree" 2>err || fail "$tree: $(cat err)"
		[ ! -s err ] || fail "$tree: it says: $(cat err)"
		shows "$tree/app.yaml" 'a: 1'
		shows "$tree/other.yaml" 'b: 1'

		# The twins. With --atomic a file without a line in the manifest is in no generation, and is made anew
		# in the next one.
		fail_power "$tree" app.yaml $kind same
		"$PLYFS" render --no-header $options -l low:high "$tree" 2>err || true
		[[ $options == *atomic* && $kind == unknown ]] || [ -s err ] || fail "$tree: it says nothing"
	done
done

# A render that goes on after such a start does not take a later truncation for a power failure.
"$PLYFS" render --no-header -l low:high watched
fail_power watched app.yaml known another
"$PLYFS" render --watch --no-header -l low:high watched 2>log &
render_pid=$!
comes_to_show watched/app.yaml 'a: 1'
is_mended() { ! grep -q 0000-4000-8000 watched/.plyfs/boot; }
eventually is_mended
: >watched/other.yaml
comes_to_show watched/other.yaml 'b: 1'
kill $render_pid
wait $render_pid || fail "render ends with $?: $(cat log)"

# The power fails during the first rendering: some files are there, and the last one is still being checked.
for i in {100..140}; do
	echo "a: $i" >high/a$i.yaml
done
echo 'z: 1' >high/z.yaml
cat >plyfs.yaml <<YAML
layers: [high]
options: {header: false}
rules: [{match: z.yaml, check: {run: [sh, -c, sleep 10, sh, "%f"], timeout: 60s}}]
YAML
chmod 644 plyfs.yaml
"$PLYFS" render -c plyfs.yaml begun 2>log &
render_pid=$!
eventually test -e begun/a100.yaml || fail "it does not begin: $(cat log)"
[ ! -e begun/z.yaml ] || fail 'it has ended already'
kill -KILL $render_pid
wait $render_pid || true
fail_power begun a100.yaml unknown another
"$PLYFS" render -c plyfs.yaml begun 2>err || fail "$(cat err)"
[ ! -s err ] || fail "it says: $(cat err)"
shows begun/a100.yaml 'a: 100'
shows begun/z.yaml 'z: 1'

# A real one, just after a change of the tree: what the journal of ext4 has is left, and nothing else. A file that
# plyfs has replaced is not taken for drift.
truncate -s 48M image
mkdir disk
if ! { [ -n "${IS_PRIVATE:-}" ] && mkfs.ext4 -q image && mount -o loop image disk; } 2>err; then
	echo "left out: a real power failure, as there is no ext4 on a loop device: $(cat err)"
	exit 0
fi
lose_power() {
	python3 - <<'E'
import fcntl, os
with open("disk/other", "w") as file:
    file.write("x")
    file.flush()
    os.fsync(file.fileno())
    FS_IOC_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, b"\2\0\0\0"
    fcntl.ioctl(file, FS_IOC_SHUTDOWN, NO_LOG_FLUSH)
E
	umount disk
	mount -o loop image disk
}
rm high/*
for options in --drift=keep '--atomic --drift=keep'; do
	tree=disk/$options
	echo 'a: 1' >low/app.yaml
	"$PLYFS" render --no-header $options -l low:high "$tree"
	sync -f disk
	echo 'a: 2' >low/app.yaml
	echo 'n: 1' >low/new.yaml
	"$PLYFS" render --no-header $options -l low:high "$tree"
	lose_power || fail 'the power does not fail'
	echo e8b3b1a8-0000-4000-8000-000000000000 >"$tree/.plyfs/boot"
	echo 'a: 3' >low/app.yaml
	"$PLYFS" render --no-header $options -l low:high "$tree" 2>err || fail "$tree: $(cat err)"
	[ ! -s err ] || fail "$tree: it says: $(cat err)"
	shows "$tree/app.yaml" 'a: 3'
	shows "$tree/new.yaml" 'n: 1'
	rm low/new.yaml
done
umount disk
