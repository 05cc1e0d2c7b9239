#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"
# Whatever a layer's file system answers while it has a fault, everything that was good stays, and all else goes on.
# When the fault is over the mount shows what a fresh one does: with each operation and each error, in a mount and in a
# rendered tree.

need python3
need_root
mkdir real real/dir fresh
: >control
"$MOUNT_TOOLS/faulty" real control high &
watcher_pid=$!
fill() {
	echo "b: $1" | tee real/app.yaml real/dir/app.yaml >/dev/null
	echo "text $1" >real/motd
	echo "a: $1" >low/app.yaml
}
fill 0
ln -s app.yaml real/link
eventually test -e high/app.yaml || skip "faulty can't mount here"
printf 'layers: [low, high]\noptions: {poll_interval: 100ms, header: false}\n' >plyfs.yaml

# plyfs render --watch has a file system of its own that fails.
"$PLYFS" render --watch -c plyfs.yaml out 2>log.render &
render_pid=$!
start -c plyfs.yaml mnt
same_rendered() { diff -r --no-dereference -x .plyfs mnt out >difference 2>&1; }
eventually same_rendered || fail "the rendered tree: $(cat difference)"
shows_all() { shows mnt/app.yaml $'a: '"$1"$'\nb: '"$2" && shows mnt/dir/app.yaml "b: $2" && shows mnt/motd "text $2"; }
is_well() { [ "$(status troubles)" = '[]' ] && ! status settings error >/dev/null 2>&1; }
shows_all 0 0

number=0
for error in 5 13 116; do # EIO, EACCES, ESTALE
	for operation in all getattr readdir open read readlink; do
		before=$number
		number=$((number + 1))
		# The fault begins. Changes that are made meanwhile can't be seen, or only in part.
		echo "$operation $error" >control
		sleep 0.25
		shows_all $before $before
		# A listing may have to be made anew, which fails then; but it never has fewer names.
		names=$(ls -A mnt/dir 2>/dev/null) || names=app.yaml
		[ "$names" = app.yaml ] || fail "$operation $error: mnt/dir lists: $names"
		echo "a: $number" | replace low/app.yaml
		# The known values of the faulty layer stay in the merge, or else the last version of the whole file.
		sleep 0.25
		for tree in mnt out; do
			text=$(cat $tree/app.yaml)
			[ "$text" = $'a: '"$number"$'\nb: '"$before" ] || [ "$text" = $'a: '"$before"$'\nb: '"$before" ] ||
				fail "$operation $error: $tree/app.yaml is: $text"
			shows $tree/dir/app.yaml "b: $before"
			shows $tree/motd "text $before"
		done
		fill $number
		: >control
		comes_to_show mnt/dir/app.yaml "b: $number"
		comes_to_show mnt/motd "text $number"
		comes_to_show mnt/app.yaml $'a: '"$number"$'\nb: '"$number"
		eventually is_well || fail "$operation $error: the trouble stays: $(cat mnt/.plyfs/status)"
		comes_to_equal_fresh -c plyfs.yaml
		eventually same_rendered || fail "$operation $error: the rendered tree afterwards: $(cat difference)"
	done
done

# A first lookup during the fault gets an error, and never the file of the other layer alone.
stop
echo 'all 5' >control
mounted=yes
"$PLYFS" mount -o noheader -c plyfs.yaml mnt 2>message || mounted=
if [ -n "$mounted" ]; then
	fails_with 'Input/output error' cat mnt/app.yaml
	: >control
	comes_to_show mnt/app.yaml $'a: '"$number"$'\nb: '"$number"
	unmount mnt
else
	grep -q high message || fail "it does not say which layer can't be used: $(cat message)"
	: >control
fi
for operation in open read; do
	echo "$operation 5" >control
	start -c plyfs.yaml mnt
	fails_with 'Input/output error' cat mnt/app.yaml
	: >control
	comes_to_show mnt/app.yaml $'a: '"$number"$'\nb: '"$number"
	stop
done

# A file that gets shorter while it is read is shown as it is then, and never in a state that it did not have.
python3 -c 'print("".join(f"k{n}: {n}\n" for n in range(2000)), end="")' >real/long.yaml
head -c 4100 real/long.yaml >short
start -c plyfs.yaml mnt
echo 'truncate 4100 long.yaml' >control
echo 'z: 1' >low/long.yaml
cat mnt/long.yaml >seen 2>/dev/null || true
: >control
if [ -s seen ]; then
	keys=$(grep -c '^k' seen)
	[ "$keys" -eq 2000 ] || [ "$keys" -eq "$(grep -c . short)" ] || fail "it shows $keys keys of a file that never had so many"
fi
comes_to_equal_fresh -c plyfs.yaml
stop
kill -TERM $render_pid
wait $render_pid || fail "render ended with $?: $(cat log.render)"
