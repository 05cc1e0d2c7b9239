#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A user hides a file of the mount, or puts another in its place, by a mount on it. A change must not take that mount
# away.
need_root
need_private
need inotifywait
mkdir -p low/dir/sub low/deep/er
for name in secret gone swapped dir/sub/app deep/er/app sibling undone both; do
	echo 'a: 1' >low/$name.yaml
done
echo cover >cover
mkdir hidden
echo hidden >hidden/file
covered='secret.yaml gone.yaml swapped.yaml deep/er/app.yaml undone.yaml'

cover() {
	local name
	ls -R mnt >/dev/null
	for name in $covered; do
		mount --bind cover "mnt/$name"
	done
	mount --bind hidden mnt/dir/sub
}
still() { for name in $covered; do is "mnt/$name" cover || fail "$1: the mount on $name is gone"; done; }
has_trouble() { grep -q "^$1: something is mounted on it" mnt/.plyfs/errors; }
comes_to_have_trouble() { eventually has_trouble "$1" || fail "no error for $1: $(cat mnt/.plyfs/errors)"; }
has_none() { [ "$(status troubles)" = '[]' ]; }
change() {
	echo 'a: 2' >low/secret.yaml
	rm low/gone.yaml
	rm low/swapped.yaml
	mkdir low/swapped.yaml
	rm -r low/deep low/dir
	echo 'a: 2' >low/undone.yaml
	echo 'a: 2' >low/sibling.yaml
}
put_back() {
	rmdir low/swapped.yaml
	mkdir -p low/dir/sub low/deep/er
	for name in secret gone swapped dir/sub/app deep/er/app sibling undone; do
		echo 'a: 1' >low/$name.yaml
	done
}
uncover() {
	umount mnt/secret.yaml mnt/gone.yaml mnt/swapped.yaml mnt/deep/er/app.yaml mnt/dir/sub
	comes_to_show mnt/secret.yaml 'a: 2'
	comes_to_vanish mnt/gone.yaml
	eventually test -d mnt/swapped.yaml || fail "what took the name does not appear"
	comes_to_vanish mnt/deep
	comes_to_vanish mnt/dir
	eventually has_none || fail "errors stay: $(cat mnt/.plyfs/errors)"
}

start
cover
watch mnt
change
comes_to_show mnt/sibling.yaml 'a: 2'
for name in secret.yaml gone.yaml swapped.yaml deep/er/app.yaml dir/sub undone.yaml; do
	comes_to_have_trouble $name
done
# The change waits; plyfs does not run all the time, and does not repeat its message.
sleep 1.6
still "after a while"
is mnt/dir/sub/file hidden || fail "the mount on a directory is gone"
ticks() { awk '{ print $14 + $15 }' "/proc/$plyfs_pid/stat"; }
rests() {
	local before
	before=$(ticks)
	sleep 1
	[ $(($(ticks) - before)) -lt 20 ]
}
eventually rests || fail "it runs all the time"
[ "$(grep -c '^plyfs: secret.yaml: something is mounted' log)" -eq 1 ] || fail "the log repeats it"
[ "$(status publisher invalidated 2>/dev/null || echo 0)" = 0 ] || fail "something was invalidated"
"$PLYFS" status mnt >said 2>&1 || true
grep -q 'secret.yaml: something is mounted on it, so it can.t change; unmount that' said || fail "status says: $(cat said)"
! grep -E 'secret|gone|swapped' events || fail "there were events before it was published"
# Undoing the change in the layer ends the error, while the other mount stays.
echo 'a: 1' >low/undone.yaml
ended() { ! has_trouble undone.yaml; }
eventually ended || fail "an error of a change that was undone stays"
is mnt/undone.yaml cover || fail "the mount is gone"
umount mnt/undone.yaml
shows mnt/undone.yaml 'a: 1'
uncover
comes_event 'MOVED_TO secret.yaml'
unwatch
put_back
comes_to_show mnt/deep/er/app.yaml 'a: 1'

# A mount on a bind mount of ours counts, too.
mkdir other
comes_to_show mnt/secret.yaml 'a: 1'
mount --bind mnt other
mount --bind cover other/secret.yaml
echo 'a: 2' >low/secret.yaml
comes_to_have_trouble secret.yaml
is other/secret.yaml cover || fail "the mount on a bind mount is gone"
shows mnt/secret.yaml 'a: 1'
umount other/secret.yaml
comes_to_show mnt/secret.yaml 'a: 2'
umount other
echo 'a: 1' >low/secret.yaml
comes_to_show mnt/secret.yaml 'a: 1'
stop

# Without publishing, the kernel is not made to forget it, either.
mount_options=noheader,unpublished
start
covered=both.yaml
cover
echo 'a: 2' >low/both.yaml
comes_to_have_trouble both.yaml
still "unpublished"
umount mnt/both.yaml mnt/dir/sub
comes_to_show mnt/both.yaml 'a: 2'
stop

# In a strict mount each lookup asks the layers.
echo 'options: {coherence: strict, header: false}
layers: [low, high]' >plyfs.yaml
mount_options=
start -c plyfs.yaml mnt
covered='secret.yaml gone.yaml swapped.yaml deep/er/app.yaml undone.yaml'
cover
change
for i in 1 2 3 4 5; do
	still "strict"
	sleep 0.1
done
comes_to_have_trouble secret.yaml
umount mnt/undone.yaml
uncover
put_back
comes_to_show mnt/deep/er/app.yaml 'a: 1'

# The twin, and the limit: a mount in another mount namespace is not seen.
mount_options=
ls -R mnt >/dev/null
unshare --mount --propagation private bash -c '
	mount --bind cover mnt/secret.yaml && : >ready && exec sleep 1000' &
inner=$!
eventually test -e ready || fail "there is no other name space"
echo 'a: 3' >low/secret.yaml
comes_to_show mnt/secret.yaml 'a: 3'
detached() { [ "$(nsenter --mount --target "$inner" cat "$directory/mnt/secret.yaml")" = 'a: 3' ]; }
eventually detached || fail "what the manual says of other name spaces is not so"
