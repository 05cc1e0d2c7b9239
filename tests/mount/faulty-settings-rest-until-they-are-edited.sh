#!/bin/bash
. "$(dirname "$0")/mount.sh"
# While plyfs.yaml, or a file that it names, has a fault that an edit ends, an idle mount forks no process. The edit
# takes effect at once.
need strace
strace -qq true || skip 'no process can be traced here'
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
write() { # FACTS LAYERS
	printf 'options: {header: false}\nfacts: %s\nlayers: [%s]\n' "$@" | replace plyfs.yaml
}
layers='low, {path: "%{role}", optional: true}'
echo 'role: none' >facts.yaml
write facts.yaml "$layers"
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'

rests() { # FAULT
	eventually grep -q "$1" log || fail "the log has no '$1'"
	sleep 0.5 # the events of the last change, which take longer on a busy machine
	for _ in 1 2 3 4 5; do
		# Longer than the longest pause between two attempts (fs/view/publisher.c).
		timeout 12 strace -qq -f -e trace=clone,clone3,fork,vfork -o forks -p "$plyfs_pid" || [ $? -eq 124 ]
		grep -v '^[0-9]* *[-+]' forks || return 0
	done
	fail "$1: it forks"
}
# An idle mount does not try again, so the edit itself is seen.
mends() { # COMMAND...
	"$@"
	comes_to_show mnt/app.yaml $'a: 1\nb: 1'
}

write facts.yaml 'low, ['
rests "plyfs.yaml:3:9"
mends write facts.yaml 'low, high'
write facts.yaml "$layers"
comes_to_show mnt/app.yaml 'a: 1'

echo 'role: [' >other.yaml
write other.yaml "$layers"
rests "other.yaml:1:7"
set_role() { echo 'role: high' | replace other.yaml; }
mends set_role
