#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml

change() {
	shows mnt/app.yaml $'a: 1\nb: 1'
	watch mnt mnt/app.yaml
	echo 'b: 2' | replace high/app.yaml
	comes_to_show mnt/app.yaml $'a: 1\nb: 2'
	unwatch
	echo 'b: 1' >high/app.yaml
	comes_to_show mnt/app.yaml $'a: 1\nb: 1'
}

start
change
[ "$(grep -c MOVED_TO events)" -eq 1 ] || fail "not one MOVED_TO, but: $(cat events)"
grep -qx 'mnt/ MOVED_TO app.yaml' events
grep -q '^mnt/app.yaml ATTRIB' events
[ "$(grep -c 'DELETE_SELF' events)" -eq 1 ] || fail "not one DELETE_SELF, but: $(cat events)"
# No stray name shows: new versions are not staged beside the file.
[ "$(grep '^mnt/ ' events)" = 'mnt/ MOVED_TO app.yaml' ] || fail "the events were: $(cat events)"
stop

# The twin: without publishing the content changes, and watchers get no event.
start -o unpublished low:high mnt
change
saw_no_events
