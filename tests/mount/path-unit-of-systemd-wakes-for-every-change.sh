#!/bin/bash
. "$(dirname "$0")/mount.sh"

need inotifywait
# The watches of a systemd.path(5) unit with PathChanged=: on the path itself, and on the directories that lead to it,
# to notice that the path is another file (systemd's src/core/path.c). After each event it sets all of them anew.
on_file=close_write,moved_from,moved_to,create,delete,attrib,delete_self,move_self
on_directory=create,moved_to,attrib,move_self,delete_self

mkdir low/dir
echo 'a: 0' >low/dir/app.yaml

waiters=()
is_armed() {
	local waiter
	for waiter in "${waiters[@]}"; do
		cat "/proc/$waiter/fdinfo"/* 2>/dev/null | grep -q '^inotify' || return 1
	done
}
# woken_by COMMAND...: prints how many of the two the command wakes.
woken_by() {
	local woken=0 waiter
	inotifywait -qq -t "$patience" -e $on_file mnt/dir/app.yaml &
	waiters=($!)
	inotifywait -qq -t "$patience" -e $on_directory mnt/dir &
	waiters+=($!)
	eventually is_armed || fail "inotifywait does not start"
	"$@"
	for waiter in "${waiters[@]}"; do
		! wait "$waiter" || woken=$((woken + 1))
	done
	[ $woken -eq "$expected" ] || fail "$woken of the watchers wake, not $expected, by: $*"
}
by_rename() { echo "a: $1" | replace low/dir/app.yaml; }
in_place() { echo "a: $1" >low/dir/app.yaml; }
in_the_other_layer() { mkdir -p high/dir && echo "a: $1" >high/dir/app.yaml; }

patience=60 expected=2
start
shows mnt/dir/app.yaml 'a: 0'
number=0
for way in by_rename in_place in_the_other_layer; do
	woken_by $way $((++number))
	# On waking, the unit starts its service: then the new content is there.
	shows mnt/dir/app.yaml "a: $number"
done
stop

patience=1 expected=0
start -o unpublished low:high mnt
shows mnt/dir/app.yaml "a: $number"
rm -r high/dir
comes_to_show mnt/dir/app.yaml 'a: 2'
woken_by by_rename 9
comes_to_show mnt/dir/app.yaml 'a: 9'
