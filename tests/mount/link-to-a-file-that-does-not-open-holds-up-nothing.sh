#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"
# A link of a layer with `follow` leads to a file whose file system does not answer an open. A worker may not open files
# outside of the layers, and a process that waits there can't be killed: a process of its own opens it.

mkdir part
make_silent part half_FORGET
echo 'a: 1' | tee low/app.yaml low/other.yaml >low/more.yaml
ln -s "$directory/part/app.yaml" high/app.yaml
echo 'b: 1' | tee high/other.yaml >high/more.yaml
echo 'options: {answer_timeout: 5s, header: false}
layers: [low, {path: high, follow: true}]' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nhalf: 1'
for end in TERM KILL; do
	[ $end = TERM ] || start -c plyfs.yaml mnt
	shows mnt/more.yaml $'a: 1\nb: 1'
	answers_no OPEN
	ln -s "$directory/part/app.yaml" high/late$end.yaml
	echo 'a: 1' >low/late$end.yaml
	timeout 60 cat mnt/late$end.yaml >read 2>&1 &
	reader=$!
	sleep 0.5
	# The kernel holds the directory's lock for the reader until its LOOKUP is answered. From the first change on, that
	# holds up each other name, too.
	echo 'a: 3' | replace low/more.yaml
	sleep 0.3
	said=$(timeout 20 cat mnt/other.yaml) && [ "$said" = $'a: 1\nb: 1' ] || fail "another file: $said"
	comes_to_show mnt/more.yaml $'a: 3\nb: 1'
	begin=$SECONDS
	if [ $end = TERM ]; then
		kill "$plyfs_pid"
		ended_cleanly
		[ $((SECONDS - begin)) -le 20 ] || fail "the end took $((SECONDS - begin)) s"
		echo 'a: 1' >low/more.yaml
	else
		killed_mount_ends 20
	fi
	wait $reader || true
	answers_no NONE
done
