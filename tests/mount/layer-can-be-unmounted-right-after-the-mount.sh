#!/bin/bash
. "$(dirname "$0")/mount.sh"

# "umount mnt && umount LAYER" works with plyfs umount, and with umount(8), which calls umount.fuse.plyfs.
need_root
need unshare
need_private
mount -t tmpfs tmpfs low || skip "there can be no tmpfs here"
umount low
again() {
	mount -t tmpfs tmpfs low
	echo 'a: 1' >low/app.yaml
	"$PLYFS" mount -o noheader low:high mnt
	shows mnt/app.yaml 'a: 1'
}

# frees COMMAND...: it unmounts, and then the layer is free at once. On a busy machine, the command may have to give up
# the wait for the daemon (cli/umount.c): after a second at the earliest.
frees() {
	local begin=${EPOCHREALTIME/./} us
	"$@" || fail "'$*' fails"
	us=$((${EPOCHREALTIME/./} - begin))
	if umount low 2>/dev/null; then
		freed=$((freed + 1))
	else
		[ $us -ge 1000000 ] || fail "the layer is busy after '$*', which took $us us"
		eventually umount low
	fi
}

freed=0
for ((i = 0; i < 50; i++)); do
	again
	frees "$PLYFS" umount mnt
done
[ $freed -gt 0 ] || fail "the layer is busy each time after plyfs umount"

# A program that reads for a moment fails nothing.
again
exec 6<mnt/app.yaml
sleep 0.4 &
exec 6<&-
begin=${EPOCHREALTIME/./}
if ! "$PLYFS" umount mnt; then
	us=$((${EPOCHREALTIME/./} - begin)) # a busy machine may let the reader read for longer
	[ $us -ge 900000 ] || fail "it waits only $us us for a reader"
	wait
	"$PLYFS" umount mnt
fi
wait
eventually umount low 2>/dev/null

# A mount in use is reported as busy, and stays. By a path with a link in it, a slash behind it, from elsewhere.
again
ln -s mnt link
exec 5<mnt/app.yaml
fails_with 'mnt: is busy: a program has something in it open, or works in it, for a second' "$PLYFS" umount mnt
shows mnt/app.yaml 'a: 1'
mkdir high/sub
comes_to_exist mnt/sub
mount --bind low mnt/sub
fails_with "mnt: is busy: another file system is mounted in it, on $directory/mnt/sub; unmount that" "$PLYFS" umount mnt
umount mnt/sub
rmdir high/sub
pid=$(cd / && "$PLYFS" status --json "$directory/mnt" | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
"$PLYFS" umount -l mnt
! is_mounted mnt || fail "it is still mounted"
! has_ended "$pid" || fail "it ended while it was in use"
exec 5<&-
eventually has_ended "$pid" || fail "it does not end"
eventually umount low 2>/dev/null # workers may end after it
fails_with 'no plyfs is mounted there' "$PLYFS" umount mnt
fails_with 'no plyfs is mounted there' "$PLYFS" umount nowhere
fails_with 'no plyfs is mounted there' "$PLYFS" umount /proc
again
from_high() { (cd high && "$PLYFS" umount ../link/); }
frees from_high

# If one of several can't be unmounted, the others are, as by umount(8).
again
mkdir second
"$PLYFS" mount low:high second
fails_with 'nowhere: no plyfs is mounted there' "$PLYFS" umount mnt nowhere second
! is_mounted mnt && ! is_mounted second || fail "one of them stays: $(grep plyfs /proc/mounts)"
eventually umount low 2>/dev/null

# A layer that leaves the settings is free as soon as they are in force.
mount -t tmpfs tmpfs low
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
printf 'layers: [low, high]\noptions: {header: false}\n' >plyfs.yaml
"$PLYFS" mount -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
printf 'layers: [high]\noptions: {header: false}\n' | replace plyfs.yaml
comes_to_show mnt/app.yaml 'b: 1'
eventually umount low 2>/dev/null || fail "a layer that has left is busy"
"$PLYFS" umount mnt
rm high/app.yaml

# Mounted at two places: the first umount returns at once, the second waits.
again
mkdir other
is_quick() {
	mount --bind mnt other
	local begin=${EPOCHREALTIME/./}
	"$PLYFS" umount other
	[ $((${EPOCHREALTIME/./} - begin)) -lt 2500000 ]
}
eventually is_quick || fail "it waits for a process that serves another mount"
shows mnt/app.yaml 'a: 1'
frees "$PLYFS" umount mnt

# A stopped daemon does not answer, and is unmounted all the same; so is a dead mount.
again
pid=$("$PLYFS" status --json mnt | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
kill -STOP "$pid"
timeout 60 "$PLYFS" umount -f mnt || fail "one that is stopped is not unmounted"
kill -KILL "$pid"
eventually umount low 2>/dev/null
again
pid=$("$PLYFS" status --json mnt | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
kill -KILL "$pid"
eventually has_ended "$pid"
timeout 60 "$PLYFS" umount mnt || fail "a dead one is not unmounted"
eventually umount low 2>/dev/null

# umount(8), which finds the helper by its name.
mkdir tools
ln -s "$(realpath "$PLYFS")" tools/umount.fuse.plyfs
sbin=$(realpath /sbin)
if mount -t overlay overlay -o "lowerdir=$directory/tools:$sbin" "$sbin" 2>overlay; then
	freed=0
	for ((i = 0; i < 50; i++)); do
		again
		frees umount mnt
	done
	[ $freed -gt 0 ] || fail "the layer is busy each time after umount(8)"
	# Without the helper (-i) the layer is held a moment longer.
	busy=0
	for ((i = 0; i < 10 || (i < 200 && busy == 0); i++)); do
		again
		umount -i mnt
		umount low 2>/dev/null || { busy=1 && eventually umount low 2>/dev/null; }
	done
	[ $busy -eq 1 ] || fail "there is nothing to wait for"
	again
	exec 5<mnt/app.yaml
	fails_with 'is busy' umount mnt
	exec 5<&-
	frees umount -v mnt
	again
	umount -l mnt
	eventually umount low 2>/dev/null
	again
	frees umount -t fuse.plyfs -a
else
	echo "umount(8) is not tried: $(cat overlay)"
fi
