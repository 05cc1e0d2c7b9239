# shellcheck shell=bash
# For tests that need the limits of a cgroup; sourced behind mount.sh.

# make_group CONTROLLER LIMIT: makes a cgroup, of version 2 or of that controller of version 1, whichever is possible.
# It is $group from then on, until the test ends. LIMIT is the file that it needs.
make_group() {
	local hierarchy=/sys/fs/cgroup
	[ -e $hierarchy/cgroup.controllers ] || hierarchy=$hierarchy/$1
	group=$hierarchy/plyfs-test-$$
	mkdir "$group" 2>/dev/null || return 1
	at_end leave_group
	[ -w "$group/$2" ]
}

leave_group() {
	for pid in $(cat "$group/cgroup.procs" 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
	eventually rmdir "$group" 2>/dev/null
}
