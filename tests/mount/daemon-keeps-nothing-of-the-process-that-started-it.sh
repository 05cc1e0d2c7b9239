#!/bin/bash
. "$(dirname "$0")/mount.sh"

# The daemon and plyfs-publish keep neither descriptors nor the working directory of the caller.
need flock python3 pgrep
echo 'a: 1' | tee low/app.yaml high/app.yaml >/dev/null
mkdir sub
printf 'layers: [low, ../high]\n' >sub/plyfs.yaml
cp -r low sub/

# Whether any of our processes has `link` as one of its descriptors, or works in it.
holds() {
	local process
	for process in $(pgrep -P "$1") "$1"; do
		find "/proc/$process/fd" "/proc/$process/cwd" -type l -printf '%l\n' 2>/dev/null |
			grep -qxF -- "$2" && return 0
	done
	return 1
}

# check PID: what every daemon must have closed or left.
check() {
	[ "$(pgrep -cP "$1")" -ge 1 ] || fail "it has no process that publishes"
	! holds "$1" "$directory/lock" || fail "it holds the lock"
	! holds "$1" "$directory/sub" || fail "it is in the directory that it was started from"
	[ "$(status directory)" = "$directory/sub" ]
	# Relative paths still lead to the same places.
	echo 'a: 2' >high/app.yaml
	comes_to_show mnt/app.yaml 'a: 2'
	mv high gone
	mkdir high
	echo 'a: 3' >high/app.yaml
	comes_to_show mnt/app.yaml 'a: 3'
	rm -r gone
	echo 'a: 1' >high/app.yaml
	comes_to_show mnt/app.yaml 'a: 1'
}

# In the background: the caller's lock, and a pipe whose end another process waits for.
for what in low:../high '-c plyfs.yaml'; do
	exec 9>lock
	flock 9
	(cd sub && "$PLYFS" mount -o noheader $what ../mnt 2>&1 3>&1 | timeout 60 cat) >said || fail "the pipe never ends"
	[ ! -s said ] || fail "it says: $(cat said)"
	exec 9>&-
	flock -n lock true || fail "the lock is held"
	check "$(status pid)"
	[ "$what" = low:../high ] || {
		echo 'files: [{path: made.yaml, from: app.yaml}]' >>sub/plyfs.yaml
		comes_to_show mnt/made.yaml 'a: 1'
	}
	unmount mnt
done

# In the foreground.
exec 9>lock
(
	cd sub
	exec "$PLYFS" mount -f -o noheader low:../high ../mnt >>../log 2>&1
) &
plyfs_pid=$!
eventually is_ready mnt
exec 9>&-
flock -n lock true || fail "the lock is held"
check "$plyfs_pid"
stop

# plyfs render --watch.
exec 9>lock
flock 9
"$PLYFS" render --watch -l low:high rendered >>log 2>&1 &
plyfs_pid=$!
exec 9>&-
eventually test -e rendered/app.yaml
! holds "$plyfs_pid" "$directory/lock" || fail "who renders holds the lock"
flock -n lock true || fail "the lock is held"
kill "$plyfs_pid"
wait "$plyfs_pid" || fail "who renders ended with $?"
plyfs_pid=

# If its standard streams are closed, none of its own descriptors takes their place.
"$PLYFS" mount -o noheader low:high mnt <&- >&- 2>&-
shows mnt/app.yaml 'a: 1'
echo 'a: 4' >high/app.yaml
comes_to_show mnt/app.yaml 'a: 4'
unmount mnt

# The file system that it was started from can be unmounted meanwhile.
[ "$(id -u)" -eq 0 ] || exit 0
mkdir stick
mount -t tmpfs tmpfs stick || exit 0
(cd stick && "$PLYFS" mount -o noheader ../low:../high ../mnt)
umount stick || fail "it keeps the file system that it was started from"
shows mnt/app.yaml 'a: 4'
unmount mnt
