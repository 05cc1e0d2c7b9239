#!/bin/bash
# If a process of plyfs is stopped, or ends, the status and the log report it. The mount ends all the same.
. "$(dirname "$0")/mount.sh"

need pgrep

cat >plyfs.yaml <<'END_OF_SETTINGS'
layers: [low, high]
options: {state: STATE}
END_OF_SETTINGS
sed -i "s|STATE|$PWD/state|" plyfs.yaml
echo good >low/a.conf
start plyfs.yaml mnt
shows mnt/a.conf good

process_of() {
	pgrep -P "$plyfs_pid" -x "$1"
}

# reports TEXT: the status has one error, with this text.
reports() {
	local text
	text=$("$PLYFS" status --exit-code mnt) && return 1
	[[ $text == *$1* ]]
}

is_well() {
	"$PLYFS" status --exit-code mnt >/dev/null
}

has_logged() {
	grep -qF "$1" log
}

for name in plyfs-publish plyfs-state; do
	# It has its name a moment after the daemon has started it.
	eventually process_of $name >/dev/null || fail "there is no $name"
	process=$(process_of $name)
	eventually is_well || fail "something is wrong before: $("$PLYFS" status mnt)"
	kill -STOP "$process"
	eventually reports "the process $name is stopped" || fail "the status is: $("$PLYFS" status mnt)"
	reports "kill -CONT $process" || fail "no remedy: $("$PLYFS" status mnt)"
	grep -q "the process $name is stopped" mnt/.plyfs/errors || fail ".plyfs/errors has: $(cat mnt/.plyfs/errors)"
	eventually has_logged "the process $name is stopped" || fail "the log has: $(cat log)"
	kill -CONT "$process"
	eventually is_well || fail "it goes on, and the status is: $("$PLYFS" status mnt)"
	eventually has_logged "the process $name goes on" || fail "the log has: $(cat log)"
done

# A change that came meanwhile shows when the process goes on.
process=$(process_of plyfs-publish)
kill -STOP "$process"
echo good too >low/a.conf
eventually reports 'the process plyfs-publish is stopped'
kill -CONT "$process"
comes_to_show mnt/a.conf 'good too'

# One that has ended is another error.
kill -KILL "$(process_of plyfs-state)"
eventually reports 'the process plyfs-state has ended: no last good version' || fail "the status is: $("$PLYFS" status mnt)"
eventually has_logged 'the process plyfs-state has ended: no last good version is written' || fail "the log has: $(cat log)"
echo 1 >low/b.txt
comes_to_show mnt/b.txt 1
stop

# However many of them are stopped, the mount ends at once. A busy machine is slow: then it is tried again.
ends_at_once() {
	start plyfs.yaml mnt
	processes=$(process_of 'plyfs-.*')
	# shellcheck disable=SC2086
	kill -STOP $processes
	begun=$(date +%s%N)
	kill -TERM "$plyfs_pid"
	ended_cleanly
	took=$((($(date +%s%N) - begun) / 1000000))
	! is_mounted mnt || fail "the mount is still there"
	for process in $processes; do
		eventually has_ended "$process" || fail "process $process outlives the daemon"
	done
	# A sanitizer looks for leaks, too.
	[ $took -lt 4000 ]
}
tries=1
until ends_at_once; do
	tries=$((tries + 1))
	[ $tries -lt 8 ] || fail "the end took $took ms"
done
