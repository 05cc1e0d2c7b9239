#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"
. "$(dirname "$0")/cgroup.sh"
# In a small cgroup much can be read. In one that is too small, and with no address space left, a reader gets the right
# bytes or an error. All that is left, or is mounted next, is right.

need python3 prlimit
need_root
! grep -qaE __asan_init "$PLYFS" || skip "what a sanitizer keeps beside the memory can't be limited"

limit_file=memory.max
printf 'layers: [low, high]\noptions: {header: false}\n' >plyfs.yaml
# plyfs does not read the limit of the older hierarchy, and so would take 64 MiB for the cache alone.
if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
	limit_file=memory.limit_in_bytes
	sed -i 's/header: false/&, cache_mib: 16/' plyfs.yaml
fi

files=10000
python3 - $files <<'END'
import os, sys
for number in range(int(sys.argv[1])):
    for layer in ("low", "high"):
        os.makedirs(f"{layer}/d{number % 50}", exist_ok=True)
        with open(f"{layer}/d{number % 50}/{number}.yaml", "w") as file:
            file.write(f"{layer}: {number}\n")
END
cat >read.py <<'END'
import sys
good = 0
for number in range(int(sys.argv[1])):
    try:
        with open(f"mnt/d{number % 50}/{number}.yaml") as file:
            text = file.read()
    except OSError:
        continue
    if text != f"low: {number}\nhigh: {number}\n":
        sys.exit(f"{number} is {text!r}")
    good += 1
print(good)
END
read_all() { python3 read.py $files >good || fail "$1: a wrong byte"; }

start_in_group() { # LIMIT IN MIB
	echo $(($1 << 20)) >"$group/$limit_file"
	bash -c 'echo $$ >"$0" && exec "$@"' "$group/cgroup.procs" "$PLYFS" mount -f -c plyfs.yaml mnt >>log 2>&1 &
	plyfs_pid=$!
	eventually is_ready mnt || fail "the mount was not ready in time"
}

if make_group memory $limit_file; then
	start_in_group 64
	kill -0 "$plyfs_pid" || fail "64 MiB are not enough to begin"
	read_all '64 MiB'
	[ "$(cat good)" -eq $files ] || fail "with 64 MiB, $(cat good) of $files can be read"
	kill -0 "$plyfs_pid" || fail "it ended with 64 MiB"
	comes_to_equal_fresh
	stop

	# The kernel kills a daemon that does not fit.
	start_in_group 64
	echo $((4 << 20)) >"$group/$limit_file" 2>/dev/null || true
	read_all '4 MiB'
	echo "with 4 MiB, $(cat good) of $files could be read"
	is_gone() { umount -l mnt 2>/dev/null || true; ! is_mounted mnt; }
	kill -9 $plyfs_pid 2>/dev/null || true
	wait $plyfs_pid 2>/dev/null || true
	plyfs_pid=
	eventually is_gone
else
	echo "there can be no cgroup here: only the address space is limited"
fi

files=1000
find low high -name '*.yaml' -size -2 | awk -F'[/.]' -v files=$files '$3 >= files' | xargs rm
for room_kib in 0 200 1000 5000; do
	start
	shows mnt/d0/0.yaml $'low: 0\nhigh: 0'
	size_kib=$(awk '/^VmSize/ { print $2 }' /proc/$plyfs_pid/status)
	prlimit --pid "$plyfs_pid" --as=$(((size_kib + room_kib) << 10)):unlimited
	read_all "$room_kib KiB of address space"
	echo "with $room_kib KiB of address space more, $(cat good) of $files could be read"
	echo 'low: new' >low/d1/1.yaml
	echo 'more: 1' >high/d1/more-$room_kib.yaml
	rm -f low/d2/2.yaml
	sleep 0.5
	kill -0 "$plyfs_pid" || fail "it ended with $room_kib KiB of address space"
	prlimit --pid "$plyfs_pid" --as=unlimited:unlimited
	comes_to_show mnt/d1/1.yaml $'low: new\nhigh: 1'
	comes_to_show mnt/d1/more-$room_kib.yaml 'more: 1'
	comes_to_equal_fresh
	is_well() { [ "$(status troubles)" = '[]' ]; }
	eventually is_well || fail "a trouble stays: $(status troubles)"
	echo 'low: 1' >low/d1/1.yaml
	echo 'low: 2' >low/d2/2.yaml
	stop
done

# If the command succeeds, the mount answers; if there is no room for that, it reports an error.
began=0
for mebibytes in 24 30 36 40 44 48 50 52 54 56 58 60 64 72 80; do
	if (ulimit -v $((mebibytes << 10)) && "$PLYFS" mount -o noheader low:high mnt) 2>message; then
		[ "$(cat mnt/d3/3.yaml)" = $'low: 3\nhigh: 3' ] || fail "with $mebibytes MiB it says that it has mounted, and serves nothing"
		"$PLYFS" umount mnt || fail "with $mebibytes MiB it can't be unmounted"
		began=$((began + 1))
	else
		[ -s message ] || fail "with $mebibytes MiB it fails without a word"
		! is_mounted mnt || fail "with $mebibytes MiB it leaves a mount"
	fi
done
[ "$began" -gt 0 ] || fail "it was never mounted"
echo "it could be mounted with $began of 15 limits of address space"
