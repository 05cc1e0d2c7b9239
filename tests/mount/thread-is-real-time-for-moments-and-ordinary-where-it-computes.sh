#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
chrt -r 1 true 2>/dev/null || skip "real-time threads are refused here"

# The policies of the daemon's threads (proc(5)): 0 ordinary, 2 real-time, 3 batch.
policies() {
	awk '{ print $41 }' "/proc/$plyfs_pid/task/"*/stat 2>/dev/null | sort -u | tr '\n' ' '
}
has_policy() { [[ " $(policies)" == *" $1 "* ]]; }
nice_values() { awk '{ print $19 }' "/proc/$plyfs_pid/task/"*/stat | sort -u; }
# One that is at work now, and is an ordinary one.
computes_as_ordinary() {
	awk '$3 == "R" && $41 == 0 { found = 1 } END { exit !found }' "/proc/$plyfs_pid/task/"*/stat
}
change() {
	echo "a: $1" | replace low/app.yaml
	comes_to_show mnt/app.yaml "a: $1"
}
large() { for number in $(seq "$2"); do echo "key_$number: {$1: [1, 2, 3], name: text}"; done; }

echo "a: 1" >low/app.yaml
start
change 2
eventually has_policy 2 || fail "no thread is real-time: $(policies)"
[ "$(status publisher realtime)" = True ] || fail "the status says nothing of it"

# A large merge is nobody's to wait for; afterwards it is as before.
large low 60000 >low/large.yaml
large high 60000 >high/large.yaml
cat mnt/large.yaml >large &
reader=$!
eventually computes_as_ordinary || fail "a large merge is made by a real-time thread"
wait $reader
[ "$(wc -l <large)" -eq 60000 ] || fail "the merged file is not whole"
change 3
eventually has_policy 2 || fail "after a large merge no thread is real-time any more"
stop

mount_options=noheader,norealtime
start
change 4
! has_policy 2 || fail "a thread is real-time in spite of norealtime"
[ "$(status publisher realtime)" = False ] || fail "the status says that they are real-time"
stop
mount_options=noheader

# What was asked for from outside is kept.
real=$PLYFS
printf '#!/bin/bash\nexec nice -n 5 "%s" "$@"\n' "$real" >as-nice
printf '#!/bin/bash\nexec chrt -b 0 "%s" "$@"\n' "$real" >as-batch
chmod 755 as-nice as-batch
PLYFS=$directory/as-nice
start
change 5
! has_policy 2 || fail "a thread of a nice process is real-time"
[ "$(nice_values)" = 5 ] || fail "the nice value has changed: $(nice_values)"
stop
PLYFS=$directory/as-batch
start
change 6
[ "$(policies)" = "3 " ] || fail "the policy from outside has changed: $(policies)"
stop
