# shellcheck shell=bash
# For tests of take-overs; sourced behind mount.sh.

# The process that serves.
serving() {
	status pid
}

has_successor() {
	local now
	now=$(serving 2>/dev/null) && [ "$now" != "$plyfs_pid" ]
}

# taken_over COMMAND...: the command has the mount taken over.
taken_over() {
	"$@" || fail "'$*' failed"
	eventually has_successor || fail "the mount was not taken over: $(cat log)"
	eventually has_ended "$plyfs_pid" || fail "who served before does not end"
	wait "$plyfs_pid" 2>/dev/null || true
	plyfs_pid=$(serving)
}

renewed() {
	taken_over kill -USR2 "$plyfs_pid"
}

# The serving process is not a child of this shell.
stop_taken_over() {
	unmount mnt
	eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
	plyfs_pid=
}

# Directories where another plyfs can ask for the mount.
find_socket() {
	if [ "$(id -u)" -eq 0 ]; then
		socket=/run/plyfs
	else
		socket=${XDG_RUNTIME_DIR:?}/plyfs
	fi
	socket=$socket/$(mountpoint -d mnt)
}
