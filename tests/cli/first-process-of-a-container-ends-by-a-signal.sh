#!/bin/bash
. "$(dirname "$0")/cli.sh"
need unshare pgrep
unshare --user --map-root-user --pid --fork true 2>/dev/null || skip 'there can be no process 1 here'

# ends SIGNAL CODE: a mirror as process 1, whose store can not be reached, ends by the signal, with that code.
ends() {
	local signal=$1 wanted=$2 code=0 first
	env --default-signal=HUP,INT,TERM unshare --user --map-root-user --pid --fork --kill-child \
		"$PLYFS" mirror git "$PWD/none" mirrored >out 2>err &
	until first=$(pgrep -P $!) && grep -q store err; do
		[ -e /proc/$! ] || fail "the mirror has ended: $(cat err)"
		sleep 0.05
	done
	kill -"$signal" "$first"
	for _ in {1..1200}; do
		[ -e "/proc/$first" ] || break
		sleep 0.05
	done
	kill -KILL "$first" 2>/dev/null && fail "SIG$signal does not end the mirror"
	wait $! || code=$?
	[ $code -eq "$wanted" ] || fail "SIG$signal ends it with $code: $(cat err)"
}

ends TERM 143
ends INT 130
