#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"
# A file that plyfs.yaml names lies on a file system that stops answering, when plyfs.yaml is read again or just before
# its names are watched. Changes of layers are published all the same, and the mount ends when it has to.

mkdir part
make_silent part half_FORGET
begin_again() { # [NAMED]: what plyfs.yaml names there
	echo 'a: 1' >low/app.yaml
	printf 'options: {answer_timeout: 1s, header: false}\nlayers: [low]\n%s\n' "${1:-facts: part/app.yaml}" >plyfs.yaml
	start -c plyfs.yaml mnt
	shows mnt/app.yaml 'a: 1'
}
for request in OPEN READ LOOKUP GETATTR; do
	for end in TERM KILL; do
		begin_again
		answers_no $request
		echo '# saved' >>plyfs.yaml
		is_named() { grep -q "part/app.yaml': can't be opened: its file system does not answer" log; }
		[ $request = GETATTR ] || eventually is_named || fail "$request: the log does not name the file"
		echo 'a: 2' | replace low/app.yaml
		comes_to_show mnt/app.yaml 'a: 2'
		if [ $end = TERM ]; then
			begin=$SECONDS
			kill "$plyfs_pid"
			ended_cleanly
			# On a busy machine a process may stand still for some seconds.
			[ $((SECONDS - begin)) -le 7 ] || fail "$request: the end took $((SECONDS - begin)) s"
		else
			killed_mount_ends 2
		fi
		answers_no NONE
		: >log
	done
done

# So does a program: plyfs asks who may have written it, but does not read it.
for request in LOOKUP GETATTR; do
	begin_again "rules: [{match: none.yaml, on_change: [$directory/part/app.yaml]}]"
	answers_no $request
	echo '# saved' >>plyfs.yaml
	is_asked_for() { grep -q "commands may be run for $directory/part/app.yaml: its file system does not answer" log; }
	[ $request = GETATTR ] || eventually is_asked_for || fail "$request: the log does not name the program"
	echo 'a: 2' | replace low/app.yaml
	comes_to_show mnt/app.yaml 'a: 2'
	killed_mount_ends 2
	answers_no NONE
	: >log
done

# When it answers, the settings are read again.
begin_again
answers_no OPEN
printf 'options: {answer_timeout: 1s, header: false}\nlayers: [low, high]\nfacts: part/app.yaml\n' >plyfs.yaml
eventually is_named || fail "the log does not name the file"
echo 'b: 1' >high/app.yaml
answers_no NONE
comes_to_show mnt/app.yaml $'a: 1\nb: 1'
eventually grep -q "the settings can be used again" log || fail "the log does not say that it answers"
