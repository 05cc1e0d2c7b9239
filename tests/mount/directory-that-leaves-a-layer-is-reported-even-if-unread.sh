#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Each way to take a directory out of one of its layers, and to put it back, in each layer. The directory is watched and
# was listed or not, or its file was read. The file that both layers have changes, and watchers get its event, and none
# for a file that the layer never had.
need inotifywait
need python3
cat >plyfs.yaml <<'END_OF_SETTINGS'
layers: [{path: low, follow: true}, {path: high, follow: true}]
options: {header: false}
rules: [{match: "d/*.yaml", dropins: true}]
files: [{path: "made/all.yaml", from: ["made/parts/*.yaml"]}]
END_OF_SETTINGS
mkdir away empty

# Changes LAYER/PLACE (the directory, or the one above); `undo` puts it right.
moved() { mv "$1/$2" "away/$3"; }
moved_undo() { mv "away/$3" "$1/$2"; }
removed() { cp -a "$1/$2" "away/$3" && rm -r "${1:?}/$2"; }
removed_undo() { cp -a "away/$3" "$1/$2"; }
emptied() {
	mkdir "away/$3"
	exchange "$1/$2" "away/$3"
}
emptied_undo() { exchange "$1/$2" "away/$3"; }
file() {
	mv "$1/$2" "away/$3"
	echo a file >"$1/$2"
}
file_undo() {
	rm "$1/$2"
	mv "away/$3" "$1/$2"
}
whiteout() { : >"high/$(dirname "$2")/.wh.$(basename "$2")"; }
whiteout_undo() { rm "high/$(dirname "$2")/.wh.$(basename "$2")"; }
opaque() { : >"high/$2/.wh..wh..opq"; }
opaque_undo() { rm "high/$2/.wh..wh..opq"; }
# A rename over an empty directory.
renamed_over() {
	mkdir "away/$3.empty"
	mv "$1/$2" "away/$3"
	mkdir "$1/$2"
	mv -T "away/$3.empty" "$1/$2"
}
renamed_over_undo() { mv -T "away/$3" "$1/$2"; }
# A copy comes back, not the directory that went.
copied() {
	cp -a "$1/$2" "away/$3.copy"
	mv "$1/$2" "away/$3"
}
copied_undo() {
	rm -r "away/$3"
	mv "away/$3.copy" "$1/$2"
}
linked() { ln -sfn "$directory/empty" "$1/$2.new" && mv -T "$1/$2.new" "$1/$2"; }
linked_undo() { ln -sfn "$directory/store/$3" "$1/$2.new" && mv -T "$1/$2.new" "$1/$2"; }

# A mount on it, and on the file in it; a lazy unmount, and a plain one.
covered() { mount -t tmpfs none "$1/$2"; }
covered_undo() { umount -l "$1/$2"; }
covered_by_empty() {
	mkdir "away/$3"
	mount --bind "away/$3" "$1/$2"
}
# plyfs may be looking at it.
covered_by_empty_undo() { eventually umount "$1/$2" 2>/dev/null; }

# Linux 3.15 has it, but mv(1) of Debian 12 has not.
exchange() {
	python3 -c '
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
at = ctypes.c_int(-100)
if libc.renameat2(at, os.fsencode(sys.argv[1]), at, os.fsencode(sys.argv[2]), 2):
    sys.exit(os.strerror(ctypes.get_errno()))' "$1" "$2"
}

# WAY LAYER: the sensible pairs. The hiding entry is in the layer above.
ways='moved:low moved:high removed:low removed:high emptied:low emptied:high file:low whiteout:low opaque:low
	linked:low linked:high renamed_over:low renamed_over:high copied:low copied:high'
if [ -n "${IS_PRIVATE:-}" ]; then
	ways+=' covered:low covered:high covered_by_empty:low covered_by_empty:high'
fi
all=()
paths=()
for way in $ways; do
	for where in itself above; do
		for state in watched listed read; do
			all+=("$way:$where:$state")
		done
	done
done

# A directory for each: t/WAY-LAYER-WHERE-STATE/r.
name_of() { echo "${1//:/-}"; }
for each in "${all[@]}"; do
	IFS=: read -r way layer where state <<<"$each"
	name=$(name_of "$each")
	for in in low high; do
		mkdir -p "$in/t/$name/r"
		echo "$in: 1" >"$in/t/$name/r/app.yaml"
	done
	other=$([ "$layer" = low ] && echo high || echo low)
	echo 'other: 1' >"$other/t/$name/r/other.yaml"
	if [ "$way" = linked ]; then
		mkdir -p store
		at=t/$name$([ "$where" = itself ] && echo /r || true)
		mv "$layer/$at" "store/$name"
		ln -s "$directory/store/$name" "$layer/$at"
	fi
done
# Files that are merged from files in such a directory: a virtual file, and one with drop-ins.
for in in low high; do
	mkdir -p $in/made/parts $in/d/app.yaml.d
	echo "$in: 1" | tee $in/made/parts/$in.yaml $in/d/app.yaml.d/$in.yaml >/dev/null
done
echo 'low: 0' >low/d/app.yaml
mkdir low/cover high/cover
echo 'low: 1' >low/cover/app.yaml
echo 'high: 1' >high/cover/app.yaml
start -c plyfs.yaml mnt
ls mnt/made mnt/d >/dev/null
for each in "${all[@]}"; do
	path=mnt/t/$(name_of "$each")/r
	paths+=("$path")
	case $each in
	*:listed) ls "$path" >/dev/null ;;
	*:read) cat "$path/app.yaml" >/dev/null ;;
	esac
done

# act UNDO: does it to all, and waits for all events.
act() {
	for each in "${all[@]}"; do
		IFS=: read -r way layer where state <<<"$each"
		name=$(name_of "$each")
		at=t/$name$([ "$where" = itself ] && echo /r || true)
		"$way$1" "$layer" "$at" "$name"
	done
}
silent() {
	for path in "${paths[@]}"; do
		grep -q "^$path/ MOVED_TO app.yaml" events || echo "${path#mnt/t/}"
	done
}
none_is_silent() { [ -z "$(silent)" ]; }
check() {
	# A busy machine needs minutes for a hundred directories.
	local end=$((SECONDS + 300))
	until none_is_silent || [ $SECONDS -ge $end ]; do
		sleep 0.1
	done
	unwatch
	none_is_silent || fail "$1: nothing is told in $(silent | tr '\n' ' ')"
	! grep ' other.yaml' events || fail "$1: a file that has not changed is told"
}
watch "${paths[@]}"
act ''
check "taken away"
for each in "${all[@]}"; do
	IFS=: read -r way layer where state <<<"$each"
	other=$([ "$layer" = low ] && echo high || echo low)
	shows "mnt/t/$(name_of "$each")/r/app.yaml" "$other: 1"
done
watch "${paths[@]}"
act _undo
check "put back"
for each in "${all[@]}"; do
	shows "mnt/t/$(name_of "$each")/r/app.yaml" $'low: 1\nhigh: 1'
done

# A mount on the file itself, which was only listed.
if [ -n "${IS_PRIVATE:-}" ]; then
	echo 'low: 2' >away/cover.yaml
	ls mnt/cover >/dev/null
	watch mnt/cover
	mount --bind away/cover.yaml low/cover/app.yaml
	comes_event '^mnt/cover/ MOVED_TO app.yaml'
	unwatch
	shows mnt/cover/app.yaml $'low: 2\nhigh: 1'
	watch mnt/cover
	eventually umount low/cover/app.yaml 2>/dev/null
	comes_event '^mnt/cover/ MOVED_TO app.yaml'
	unwatch
	shows mnt/cover/app.yaml $'low: 1\nhigh: 1'
fi

# A virtual file, and one with drop-ins, that were only listed.
watch mnt/made mnt/d
mv low/made/parts away/parts
mv low/d/app.yaml.d away/dropins
comes_event '^mnt/made/ MOVED_TO all.yaml'
comes_event '^mnt/d/ MOVED_TO app.yaml$'
unwatch
shows mnt/made/all.yaml 'high: 1'
shows mnt/d/app.yaml $'low: 0\nhigh: 1'
stop

# The twin: without publishing watchers get no event, and reads are right.
mount_options=noheader,unpublished
start -c plyfs.yaml mnt
watch "mnt/t/moved-low-itself-watched/r"
mv low/t/moved-low-itself-watched/r away/r
comes_to_show mnt/t/moved-low-itself-watched/r/app.yaml 'high: 1'
unwatch
saw_no_events
