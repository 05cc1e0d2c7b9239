# shellcheck shell=bash
# For tests of which files the daemon opens; sourced behind mount.sh.

# Writes what the daemon and its present children open to `trace`, a line each, once it is at rest: a recent change is
# checked once more.
trace_opens() {
	strace -f -qq -e trace=openat -o trace -p "$plyfs_pid" &
	tracer=$!
	eventually grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$plyfs_pid/status" || fail "strace does not start"
	await_rest
	opened_before=$rested
}

# A busy machine is slow: until it opens nothing any more.
is_at_rest() {
	rested=$(wc -l <trace)
	sleep 1.5
	[ "$(wc -l <trace)" -eq "$rested" ]
}

await_rest() {
	eventually is_at_rest || fail "it opens files all the time: $(tail -n 5 trace)"
}

# Waits for rest, and ends the trace. `opened` then has what was opened since trace_opens.
end_trace() {
	await_rest
	kill "$tracer"
	wait "$tracer" 2>/dev/null || true
	tail -n "+$((opened_before + 1))" trace >opened
}
