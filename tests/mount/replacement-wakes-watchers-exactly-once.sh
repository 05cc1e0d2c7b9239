#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A source is replaced, is removed, or joins.
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
change() {
	shows mnt/app.yaml $'a: 1\nb: 1'
	for how in replaced removed joined; do
		watch mnt mnt/app.yaml
		exec 8<mnt/app.yaml
		case $how in
		replaced) echo 'b: 2' | replace high/app.yaml && text=$'a: 1\nb: 2' ;;
		removed) rm high/app.yaml && text='a: 1' ;;
		joined) echo 'b: 1' >high/app.yaml && text=$'a: 1\nb: 1' ;;
		esac
		"$1" mnt/app.yaml "$text"
		"$2"
	done
}
wakes_once() {
	comes_event 'MOVED_TO app.yaml'
	# The kernel asks plyfs for the attributes of the open file, and knows afterwards that it was replaced.
	[[ $(stat -L -c '%h %z' /dev/fd/8) == '0 '* ]] || fail "$how: the former file still has a link"
	exec 8<&-
	comes_event '^mnt/app.yaml DELETE_SELF'
	unwatch
	# No stray name shows: new versions are not staged beside the file.
	[ "$(grep '^mnt/ ' events)" = 'mnt/ MOVED_TO app.yaml' ] || fail "$how: the events were: $(cat events)"
	grep -q '^mnt/app.yaml ATTRIB' events
	[ "$(grep -c '^mnt/app.yaml DELETE_SELF' events)" -eq 1 ] || fail "$how: not one DELETE_SELF, but: $(cat events)"
}
wakes_nobody() {
	exec 8<&-
	unwatch
	saw_no_events
}

start
change comes_to_show wakes_once
stop

# A reader of a strict mount sees the change before any event, and watchers get the event all the same.
printf 'layers: [low, high]\noptions: {coherence: strict}\n' >plyfs.yaml
start -c plyfs.yaml mnt
change shows wakes_once
stop

# The twin: without publishing the content changes, and watchers get no event.
start -o unpublished low:high mnt
change comes_to_show wakes_nobody
