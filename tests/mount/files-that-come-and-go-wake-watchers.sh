#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir
# Made before the mount: a name that is looked up before it is published is replaced when it is published.
make() {
	mkdir low/gone
	echo 'a: 1' | tee low/gone.yaml >low/gone/app.yaml
}
change() { # COMMAND, which waits for an event, where there are any
	ls mnt mnt/dir >/dev/null
	shows mnt/gone.yaml 'a: 1'
	shows mnt/gone/app.yaml 'a: 1'
	[ ! -e mnt/new.yaml ] && [ ! -e mnt/dir/sub ] # the kernel remembers that
	watch mnt mnt/dir mnt/gone.yaml mnt/gone/app.yaml
	echo 'a: 1' >low/new.yaml
	comes_to_show mnt/new.yaml 'a: 1'
	# A reader sees the file before its event: a file that comes and goes meanwhile makes one event.
	"$1" 'MOVED_TO new.yaml'
	echo 'a: 1' | replace high/dir.yaml
	comes_to_show mnt/dir.yaml 'a: 1'
	"$1" 'MOVED_TO dir.yaml'
	rm low/new.yaml
	comes_to_vanish mnt/new.yaml
	mkdir low/dir/sub
	comes_to_exist mnt/dir/sub
	rmdir low/dir/sub
	comes_to_vanish mnt/dir/sub
	exec 8<mnt/gone.yaml 9<mnt/gone
	rm low/gone.yaml
	comes_to_vanish mnt/gone.yaml
	rm -r low/gone
	comes_to_vanish mnt/gone
	links=$(stat -L -c '%h %z' /dev/fd/8 /dev/fd/9 | cut -d' ' -f1 | xargs)
	exec 8<&- 9<&-
	unwatch
	rm high/dir.yaml
	comes_to_vanish mnt/dir.yaml
}

make
start
change comes_event
[ "$links" = '0 0' ] || fail "what is gone still has links: $links"
for file in mnt/gone.yaml mnt/gone/app.yaml; do
	[ "$(grep -c "^$file DELETE_SELF" events)" -eq 1 ] || fail "$file: not one DELETE_SELF, but: $(cat events)"
done
sed -i '/^mnt\/gone/d' events
saw_events 'mnt/ MOVED_TO new.yaml' 'mnt/ MOVED_TO dir.yaml' 'mnt/ DELETE new.yaml' \
	'mnt/dir/ CREATE,ISDIR sub' 'mnt/dir/ DELETE,ISDIR sub' 'mnt/ DELETE gone.yaml' 'mnt/ DELETE,ISDIR gone'
stop

make
start -o unpublished low:high mnt
change :
saw_no_events
