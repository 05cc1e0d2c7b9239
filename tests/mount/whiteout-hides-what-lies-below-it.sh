#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

mkdir middle
layers=low:middle:high
fill() {
	rm -rf low middle high
	mkdir -p low/dir/sub middle/dir high/dir
	echo 'a: low' | tee low/app.yaml low/dir/app.yaml low/dir/other.yaml low/dir/sub/app.yaml >/dev/null
	echo 'b: middle' | tee middle/app.yaml middle/dir/app.yaml >/dev/null
}
# overlayfs' own mark needs the right to make devices; ordinary users may make this one since Linux 5.10.
kinds=(mark)
mknod probe c 0 0 2>/dev/null && kinds+=(device)
hide() {
	case $kind in
	mark) touch "$(dirname "$1")/.wh.$(basename "$1")" ;;
	device) mknod "$1" c 0 0 ;;
	esac
}
uncover() {
	case $kind in
	mark) rm "$(dirname "$1")/.wh.$(basename "$1")" ;;
	device) rm "$1" ;;
	esac
}

for kind in "${kinds[@]}"; do
	fill
	# The whiteout exists before the mount, and hides a file and a directory.
	hide middle/app.yaml 2>/dev/null || { rm middle/app.yaml && hide middle/app.yaml; }
	hide high/gone
	mkdir low/gone
	touch low/gone/file
	start $layers mnt
	case $kind in
	# A layer's own file stands beside its own mark, which hides only lower layers' files.
	mark) shows mnt/app.yaml 'b: middle' ;;
	device) [ ! -e mnt/app.yaml ] || fail "$kind: mnt/app.yaml is there" ;;
	esac
	[ ! -e mnt/gone ] || fail "$kind: a directory is not hidden"
	! ls -A mnt | grep -q '^\.wh\.\|gone' || fail "$kind: a mark is listed"
	[ ! -e mnt/.wh.gone ] || fail "$kind: a mark is there"

	# It comes and goes while the mount is in use.
	shows mnt/dir/app.yaml $'a: low\nb: middle'
	hide high/dir/app.yaml
	comes_to_vanish mnt/dir/app.yaml
	comes_to_list mnt/dir other.yaml sub
	uncover high/dir/app.yaml
	comes_to_show mnt/dir/app.yaml $'a: low\nb: middle'
	comes_to_list mnt/dir app.yaml other.yaml sub

	# Over a directory, over a file that is hidden a second time, and in the lowest layer, where
	# nothing lies below it.
	hide high/dir/sub
	comes_to_vanish mnt/dir/sub
	hide low/dir/new
	hide middle/dir/other.yaml
	comes_to_vanish mnt/dir/other.yaml
	hide high/dir/other.yaml
	uncover middle/dir/other.yaml
	sleep 0.2
	[ ! -e mnt/dir/other.yaml ] || fail "$kind: only one of two whiteouts is gone"
	# A layer above the whiteout is not hidden, nor merged with the hidden files.
	rm -r high/dir
	mkdir high/dir
	hide middle/dir/other.yaml
	echo 'c: high' >high/dir/other.yaml
	comes_to_show mnt/dir/other.yaml 'c: high'
	comes_to_show mnt/dir/sub/app.yaml 'a: low'
	comes_to_equal_fresh $layers
	stop
done

# An opaque directory hides everything that the lower layers have in it, and nothing beside it.
fill
start $layers mnt
shows mnt/dir/other.yaml 'a: low'
touch middle/dir/.wh..wh..opq
comes_to_list mnt/dir app.yaml
comes_to_show mnt/dir/app.yaml 'b: middle'
[ ! -e mnt/dir/sub ] || fail "opaque hides no directory"
shows mnt/app.yaml $'a: low\nb: middle'
echo 'c: high' >high/dir/new.yaml
comes_to_list mnt/dir app.yaml new.yaml
comes_to_equal_fresh $layers
rm middle/dir/.wh..wh..opq
comes_to_list mnt/dir app.yaml new.yaml other.yaml sub
comes_to_show mnt/dir/app.yaml $'a: low\nb: middle'
comes_to_show mnt/dir/sub/app.yaml 'a: low'

# The twin: a name that only looks like a mark hides nothing.
touch high/dir/.who.app.yaml high/dir/wh.app.yaml high/dir/.wh
mknod high/dir/sub c 1 3 2>/dev/null || true
comes_to_list mnt/dir .wh .who.app.yaml app.yaml new.yaml other.yaml sub wh.app.yaml
shows mnt/dir/app.yaml $'a: low\nb: middle'
shows mnt/dir/sub/app.yaml 'a: low'
comes_to_equal_fresh $layers
