#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir
change() {
	ls mnt mnt/dir >/dev/null
	[ ! -e mnt/new.yaml ] && [ ! -e mnt/dir/sub ] # the kernel remembers that
	watch mnt mnt/dir
	echo 'a: 1' >low/new.yaml
	comes_to_show mnt/new.yaml 'a: 1'
	# A reader sees the file before its event: a file that comes and goes meanwhile makes one event.
	sleep 0.3
	echo 'a: 1' | replace high/dir.yaml
	comes_to_show mnt/dir.yaml 'a: 1'
	rm low/new.yaml
	comes_to_vanish mnt/new.yaml
	mkdir low/dir/sub
	comes_to_exist mnt/dir/sub
	rmdir low/dir/sub
	comes_to_vanish mnt/dir/sub
	unwatch
	rm high/dir.yaml
	comes_to_vanish mnt/dir.yaml
}

start
change
saw_events 'mnt/ MOVED_TO new.yaml' 'mnt/ MOVED_TO dir.yaml' 'mnt/ DELETE new.yaml' \
	'mnt/dir/ CREATE,ISDIR sub' 'mnt/dir/ DELETE,ISDIR sub'
stop

start -o unpublished low:high mnt
change
saw_no_events
