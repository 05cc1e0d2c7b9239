# shellcheck shell=bash
# For tests of take-overs; sourced behind mount.sh.

tried() {
	status take_over tried
}

# Why the last take-over has failed; "": it has not.
take_over_error() {
	python3 -c 'import json; print(json.load(open("mnt/.plyfs/status"))["take_over"].get("error", ""))'
}

# The process that serves.
serving() {
	status pid
}

was_tried() {
	local now
	now=$(tried 2>/dev/null) && [ "$now" -gt "$tried_before" ]
}

# The new program has 10 s for its answer: that can be too little on a busy machine, and it is tried again.
is_late() {
	[ "$(take_over_error)" = 'the new program did not answer in time' ]
}

# taken_over COMMAND...: the command has the mount taken over, in the same process.
taken_over() {
	local tries
	for tries in 1 2 3 4; do
		tried_before=$(tried)
		"$@" || is_late || fail "'$*' failed"
		eventually was_tried || fail "the mount was not taken over: $(cat log)"
		is_late || break
	done
	[ -z "$(take_over_error)" ] || fail "the mount was not taken over, at try $tries: $(take_over_error)"
	[ "$(serving)" = "$plyfs_pid" ] || fail "another process serves"
}

renewed() {
	taken_over kill -USR2 "$plyfs_pid"
}

# Starts a copy of plyfs, which replace_program can replace.
start_replaceable() {
	cp -L "$PLYFS" "$directory/plyfs.new"
	mv "$directory/plyfs.new" "$directory/plyfs"
	PLYFS=$directory/plyfs start "$@"
}

# Puts standard input in the place of the program from which plyfs was started.
replace_program() {
	cat >"$directory/plyfs.new"
	chmod "${1:-755}" "$directory/plyfs.new"
	mv "$directory/plyfs.new" "$directory/plyfs"
}
