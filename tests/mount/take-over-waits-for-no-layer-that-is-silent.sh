#!/bin/bash
# A layer lies on a file system that does not answer. A take-over needs no answer, or is refused; no reader of another
# path notices.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"
. "$(dirname "$test_file")/take_over.sh"

need python3
need_root
mkdir part whole other
echo 'a: 1' >low/app.yaml
echo 'a: 1' >low/beside.yaml
change=0
changes_show() {
	change=$((change + 1))
	echo "b: $change" | replace high/beside.yaml
	comes_to_show mnt/beside.yaml $'a: 1\nb: '$change
}

# It answers all but READ, for which a reader waits.
make_silent part half_READ
start low:part:high mnt
changes_show
cat mnt/app.yaml >got 2>&1 &
reader=$!
for _ in 1 2 3; do
	taken_over "$PLYFS" mount --take-over mnt
	changes_show
done
wait $reader && fail "the file was read: $(cat got)"
begin=$SECONDS
stop
# On a busy machine a process may stand still for some seconds.
[ $((SECONDS - begin)) -le 9 ] || fail "the end took $((SECONDS - begin)) s"

# It answers nothing more.
"$PLYFS" mount other whole
silent=$("$PLYFS" status --json whole | sed -n 's/^ *"pid": \([0-9]*\),$/\1/p')
at_end "kill -CONT $silent; umount -l $directory/whole"
start low:whole:high mnt
changes_show
kill -STOP "$silent"
kill -USR2 "$plyfs_pid"
for _ in 1 2 3 4 5 6 7 8; do
	changes_show
	sleep 0.5
done
refused() { [[ $(take_over_error) == *"$directory/whole: does not answer for 5 s"* ]]; }
eventually refused || fail "the take-over: $(status take_over)"
[ "$(serving)" = "$plyfs_pid" ] || fail "another process serves"
changes_show
kill -CONT "$silent"
renewed
changes_show
stop
