#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need_private
mkdir disk
mount -t tmpfs -o size=2m,nr_inodes=600 tmpfs disk || skip 'no tmpfs can be mounted'
pids=
at_end 'kill $pids 2>/dev/null; wait; umount disk'
echo 'a: 1' | tee low/app.yaml >high/other.yaml
mkdir low/sub
echo 'x: 1' >low/sub/x.yaml

for how in '' --atomic; do
	out=disk/out$how
	"$PLYFS" render --watch $how --no-header -l low:high "$out" 2>"log$how" &
	pids=$!
	eventually is "$out/other.yaml" 'a: 1' || fail 'it does not begin'
	old=$(readlink "$out/..data" || true)

	# No bytes are left: the tree stays as it was, and the error is reported once.
	head -c 4M /dev/zero >disk/full 2>/dev/null || true
	head -c 20000 /dev/zero | tr '\0' x | sed 's/^/key: /' >new
	mv new low/app.yaml
	eventually grep -q 'No space left on device' "log$how" || fail "$how: not told: $(cat "log$how")"
	sleep 1.5
	is "$out/app.yaml" 'a: 1' || fail "$how: the old file is not whole"
	[ "$(grep -c 'No space left' "log$how")" -le 2 ] || fail "$how: told again and again: $(cat "log$how")"
	[ "$(readlink "$out/..data" || true)" = "$old" ] || fail 'it was switched'
	rm disk/full
	eventually cmp -s low/app.yaml "$out/app.yaml" || fail "$how: it is not made later: $(cat "log$how")"

	# No inodes are left for a new directory, nor for the files in it.
	mkdir disk/inodes
	for ((i = 0; i < 1000; i++)); do : 2>/dev/null >disk/inodes/$i || break; done
	[ $i -lt 1000 ] || fail 'the disk is not full'
	mkdir -p made/deep
	echo 'd: 1' | tee made/d.yaml >made/deep/d.yaml
	mv made "low/made$how"
	sleep 1
	[ ! -e "$out/made$how" ] || fail "$how: there is a half of it"
	is "$out/sub/x.yaml" 'x: 1' && cmp low/app.yaml "$out/app.yaml" || fail "$how: the old tree is not whole"
	rm -r disk/inodes
	eventually is "$out/made$how/deep/d.yaml" 'd: 1' || fail "$how: the directory is not made later: $(cat "log$how")"
	is "$out/made$how/d.yaml" 'd: 1'
	# A status may be under way.
	eventually has_names "$out/.plyfs/stage" || fail "$how: something is left in the stage"
	kill $pids
	wait $pids || fail "$how: render ended with $?: $(cat "log$how")"

	# A run that can't write everything fails.
	echo 'b: 2' >low/sub/x.yaml
	head -c 4M /dev/zero >disk/full 2>/dev/null || true
	head -c 20000 /dev/zero | tr '\0' y | sed 's/^/key: /' >low/app.yaml
	! "$PLYFS" render $how --no-header -l low:high "$out" 2>err || fail "$how: it does not fail"
	grep -q 'No space left' err || fail "$how: not told: $(cat err)"
	grep -q xxx "$out/app.yaml" || fail "$how: the old file is not whole"
	rm disk/full
	"$PLYFS" render $how --no-header -l low:high "$out" 2>err || fail "$how: $(cat err)"
	cmp low/app.yaml "$out/app.yaml"
	printf 'a: 1\n' >low/app.yaml
	echo 'x: 1' >low/sub/x.yaml
	rm -r "$out"
done
