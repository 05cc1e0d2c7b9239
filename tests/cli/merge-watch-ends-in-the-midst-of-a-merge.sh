#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Twenty sources that take long to read, though they have no content, and a limit to match.
printf '# a line of comment, as there are many in files that somebody sends round\n%.0s' \
	{1..200000} >large.yaml
files=()
for _ in {1..20}; do files+=(large.yaml); done
# Whether it takes the two signals by itself.
takes_signals() {
	[ $((0x$(awk '$1 == "SigCgt:" { print $2 }' "/proc/$watcher/status") & 0x4002)) -eq $((0x4002)) ]
}
# ends_soon SIGNAL
ends_soon() {
	env --default-signal=INT,TERM "$PLYFS" merge --watch --limit time=60m "${files[@]}" >out 2>err &
	watcher=$!
	until takes_signals; do
		kill -0 $watcher || fail "it has ended: $(cat err)"
		sleep 0.05
	done
	sleep 0.5
	kill -0 $watcher || fail "it has ended: $(cat err)"
	begun=$(date +%s%N)
	kill -"$1" $watcher
	wait $watcher || fail "SIG$1 ends it with $?: $(cat err)"
	took=$(($(date +%s%N) - begun))
	[ ! -s out ] && [ ! -s err ] || fail "it prints: $(cat out err)"
	# Within a second; and two more, as other tests run beside this one.
	[ $took -lt 3000000000 ]
}
for signal in INT TERM; do
	tries=1
	until ends_soon $signal; do
		tries=$((tries + 1))
		[ $tries -lt 8 ] || fail "SIG$signal ends it after $took ns, again and again"
	done
done
