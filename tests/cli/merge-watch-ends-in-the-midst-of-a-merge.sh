#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Twenty sources that take long to read, though they have no content, and a limit to match.
printf '# a line of comment, as there are many in files that somebody sends round\n%.0s' \
	{1..200000} >large.yaml
files=()
for _ in {1..20}; do files+=(large.yaml); done
for signal in INT TERM; do
	env --default-signal=INT "$PLYFS" merge --watch --limit time=60m "${files[@]}" >out 2>err &
	watcher=$!
	sleep 0.5
	kill -0 $watcher
	begun=$(date +%s%N)
	kill -$signal $watcher
	wait $watcher
	# Within a second; and two more, as other tests run beside this one.
	[ $(($(date +%s%N) - begun)) -lt 3000000000 ]
	[ ! -s out ] && [ ! -s err ]
done
