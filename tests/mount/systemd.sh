# shellcheck shell=bash
# A systemd of the test's own, with plyfs@.service; sourced behind mount.sh. room.sh describes how it is isolated.

room=$(dirname "$test_file")/room.sh
init=
unshare_pid=
groups=

# inside COMMAND...: runs the command where that systemd is process 1.
inside() {
	local code=0
	timeout 300 nsenter -t "$init" -m -p -u -i -n -C env -i PATH=/usr/sbin:/usr/bin LC_ALL=C "$@" || code=$?
	[ $code -ne 124 ] || echo "does not end: $*" >&2
	return $code
}

end_systemd() {
	[ -z "$init" ] || kill -9 "$init" 2>/dev/null
	[ -z "$unshare_pid" ] || wait "$unshare_pid" 2>/dev/null
	[ -z "$groups" ] || eventually is_without_groups
}

is_without_groups() {
	find "$groups" -depth -type d -exec rmdir {} + 2>/dev/null
	[ ! -e "$groups" ]
}

has_init() {
	init=$(pgrep -P "$unshare_pid") && [ "$(cat "/proc/$init/comm")" = systemd ] &&
		inside systemctl is-active -q basic.target 2>/dev/null
}

# Units by which all others are ordered, and nothing else.
put_targets() {
	local target
	mkdir units
	for target in basic shutdown sysinit; do
		printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' $target >units/$target.target
	done
}

# start_systemd [LINE...]: with plyfs@.service as it is installed, and the lines in [Service].
start_systemd() {
	local tree
	need_root
	need unshare nsenter pivot_root systemctl systemd-escape findmnt
	[ -x /usr/lib/systemd/systemd ] || skip "there is no systemd"
	groups=$(findmnt -fno TARGET -t cgroup2) || skip "there is no cgroup2"
	groups=$groups/plyfs-test-$$
	tree=$(realpath "$(dirname "$PLYFS")/..")
	put_targets
	unit=plyfs@$(systemd-escape -p "$directory/mnt").service
	settings=settings/${unit#plyfs@}
	settings=${settings%.service}.yaml
	mkdir settings units/plyfs@.service.d
	# The room's paths; its /etc can't be written.
	sed -e "s|^ExecStart=[^ ]*/plyfs |ExecStart=$PLYFS |" -e "s|/etc/plyfs|$directory/settings|" \
		"$UNIT" >units/plyfs@.service
	printf '%s\n' '[Unit]' StartLimitIntervalSec=0 '[Service]' "StandardError=append:$directory/log" \
		'Environment=ASAN_OPTIONS=detect_leaks=0' "$@" >units/plyfs@.service.d/test.conf
	mkdir "$groups" 2>/dev/null || { groups= && skip "no control group can be made"; }
	at_end end_systemd
	(echo "$BASHPID" >"$groups/cgroup.procs" &&
		exec unshare --mount --pid --fork --kill-child --uts --ipc --net --cgroup bash "$room" "$directory" \
			"$tree") >console 2>&1 &
	unshare_pid=$!
	eventually has_init || skip "no systemd can be started here: $(cat console)"
}

# put_unit NAME [LINE...]: adds another of our units, as start_systemd adds plyfs@.service, with the lines in [Service].
# The build may lie in a /tmp that the unit hides.
put_unit() {
	local name=$1 tree
	shift
	tree=$(realpath "$(dirname "$PLYFS")/..")
	sed -e "s|^ExecStart=[^ ]*/plyfs |ExecStart=$PLYFS |" -e "s|/etc/plyfs|$directory/settings|" \
		"${UNIT/plyfs@/$name@}" >"units/$name@.service"
	mkdir "units/$name@.service.d"
	{ cat units/plyfs@.service.d/test.conf && printf '%s\n' "BindReadOnlyPaths=$tree" "$@"; } >"units/$name@.service.d/test.conf"
	inside cp -r "$directory/units/$name@.service" "$directory/units/$name@.service.d" /run/units/
	inside systemctl daemon-reload
}

property() {
	inside systemctl show -P "$1" "$unit"
}
