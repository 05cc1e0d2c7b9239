#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Made before the mount: a name that is looked up before it is published is replaced when it is published.
make() {
	mkdir -p low/dir
	echo 'a: 1' | tee low/app.yaml low/dir/app.yaml >/dev/null
}
see() {
	comes_to_show mnt/app.yaml 'a: 1'
	comes_to_show mnt/dir/app.yaml 'a: 1'
}
change() {
	watch mnt/app.yaml mnt/dir/app.yaml
	rm low/app.yaml
	comes_to_vanish mnt/app.yaml
	rm -r low/dir
	comes_to_vanish mnt/dir
	unwatch
}

make
start
see
change
for file in mnt/app.yaml mnt/dir/app.yaml; do
	[ "$(grep -c "^$file DELETE_SELF" events)" -eq 1 ] ||
		fail "$file: not one DELETE_SELF, but: $(cat events)"
done
stop

make
start -o unpublished low:high mnt
see
change
saw_no_events
