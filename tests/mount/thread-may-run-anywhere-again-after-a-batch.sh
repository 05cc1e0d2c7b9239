#!/bin/bash
. "$(dirname "$0")/mount.sh"

[ "$(nproc)" -gt 1 ] || skip "there is one processor only"

allowed() { awk '/^Cpus_allowed_list/ { print $2 }' "$1"; }
home=$(allowed /proc/self/status)
all_may_run_anywhere() {
	local task
	for task in "/proc/$plyfs_pid/task/"*/status; do
		[ "$(allowed "$task")" = "$home" ] || return 1
	done
}
gathered() { ! all_may_run_anywhere; }

for number in $(seq 300); do
	echo "a: 1" >"low/$number.yaml"
	echo "b: 1" >"high/$number.yaml"
done
start
cat mnt/*.yaml >/dev/null
all_may_run_anywhere || fail "threads are tied to a processor while nothing changes"

# Threads that are made meanwhile inherit the binding to a processor.
for number in $(seq 300); do
	echo "b: 2" >"high/$number.yaml"
done &
writer=$!
was_gathered=no
for number in $(seq 300); do
	cat "mnt/$number.yaml" "mnt/none-$number" >/dev/null 2>&1 || true
	if gathered; then was_gathered=yes; fi
done
wait $writer
comes_to_show mnt/300.yaml $'a: 1\nb: 2'
[ $was_gathered = yes ] || echo "note: never seen together"
eventually all_may_run_anywhere || fail "a thread is still tied to a processor"

# Another process may have moved them meanwhile.
taskset -apc "${home%%[-,]*}" $plyfs_pid >/dev/null
home=${home%%[-,]*}
echo "b: 3" >high/300.yaml
comes_to_show mnt/300.yaml $'a: 1\nb: 3'
eventually all_may_run_anywhere || fail "they have left the processor that they were sent to"
stop
