#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir -p low/dir/old high/dir
echo 'a: 1' >low/dir/old/app.yaml

change() {
	ls mnt/dir mnt/dir/old >/dev/null
	shows mnt/dir/old/app.yaml 'a: 1'
	watch mnt/dir mnt/dir/old mnt/dir/old/app.yaml

	mv low/dir/old low/dir/new
	comes_to_show mnt/dir/new/app.yaml 'a: 1'
	comes_to_vanish mnt/dir/old
	# It is still watched, under its new name.
	echo 'a: 2' >low/dir/new/app.yaml
	comes_to_show mnt/dir/new/app.yaml 'a: 2'
	echo 'a: 1' >low/dir/new/app.yaml

	mkdir high/dir/made
	comes_to_exist mnt/dir/made
	# A second layer gets it, and the first one loses it: no event.
	mkdir low/dir/made
	sleep 0.2
	rmdir high/dir/made
	sleep 0.2
	rmdir low/dir/made
	comes_to_vanish mnt/dir/made

	# It comes by rename, and goes with everything in it.
	mkdir -p prepared/sub
	echo 'b: 1' >prepared/sub/app.yaml
	mv prepared high/dir/filled
	comes_to_show mnt/dir/filled/sub/app.yaml 'b: 1'
	rm -r high/dir/filled
	comes_to_vanish mnt/dir/filled
	unwatch
	mv low/dir/new low/dir/old
	comes_to_show mnt/dir/old/app.yaml 'a: 1'
	comes_to_vanish mnt/dir/new
}

start
change
# The old and the new name are two names to plyfs; the order of their events is open.
grep '^mnt/dir/ ' events >seen
[ "$(head -2 seen | sort)" = $'mnt/dir/ CREATE,ISDIR new\nmnt/dir/ DELETE,ISDIR old' ] ||
	fail "a renamed directory is: $(cat seen)"
[ "$(tail -n +3 seen)" = "mnt/dir/ CREATE,ISDIR made
mnt/dir/ DELETE,ISDIR made
mnt/dir/ CREATE,ISDIR filled
mnt/dir/ DELETE,ISDIR filled" ] || fail "the events were: $(cat seen)"
[ "$(grep -c '^mnt/dir/old/ DELETE_SELF' events)" -eq 1 ] ||
	fail "who watches the directory itself is told: $(cat events)"
stop

start -o unpublished low:high mnt
change
saw_no_events
