# shellcheck shell=bash
# For tests of what a cgroup limits; sourced behind mount.sh.

# make_group CONTROLLER LIMIT: a cgroup, version 2's or that controller's of version 1, whichever can be made, is
# $group from then on, until the test ends. LIMIT is the file that it needs.
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
