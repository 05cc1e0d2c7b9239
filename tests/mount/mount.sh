# shellcheck shell=bash
# Real mounts for tests. Every test sources this file first. It then runs in a fresh directory with the empty
# directories low, high (layers) and mnt in it, which is removed when the test ends, however it ends. The daemon runs in
# the foreground, with its messages in the file `log`. If that has text of a sanitizer or a warning, the test fails,
# whatever else it found.
#
# The caller's environment: PLYFS is the command, MOUNT_TOOLS the directory of our C programs.
set -eEuo pipefail
trap 'echo "failed: line $LINENO: $BASH_COMMAND" >&2' ERR

: "${PLYFS:?the path of the plyfs command}"
export LC_ALL=C
umask 022

test_file=$(realpath "$0")
plyfs_pid=
watcher_pid=

# The options with which start mounts. Bytes are easier to compare without a header. A test of the header sets `header`,
# to nothing if the settings are to decide.
mount_options=noheader

. "$(dirname "${BASH_SOURCE[0]}")/../proposals.sh"

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "failed: $*" >&2
	exit 1
}

# Ordinary users mount through fusermount3, which is set-uid. So set-uid must have its effect, and root must have the
# right to mount.
need_fusermount() {
	local mode bounding
	need fusermount3
	mode=$(stat -L -c %A "$(command -v fusermount3)")
	[ "${mode:3:1}" = s ] || skip "fusermount3 is not set-uid"
	[ -e /etc/mtab ] || skip "fusermount3 can't unmount here: /etc/mtab is missing"
	! grep -q '^NoNewPrivs:[[:space:]]*1' /proc/self/status || skip "set-uid has no effect here"
	bounding=$(awk '$1 == "CapBnd:" { print $2 }' /proc/self/status)
	(((0x$bounding >> 21) & 1)) || skip "nobody may mount here (CAP_SYS_ADMIN)"
}

# Skips the test if no program can mount, plyfs or another.
need_mounts() {
	[ -c /dev/fuse ] || skip "there is no /dev/fuse"
	{ : <>/dev/fuse; } 2>/dev/null || skip "/dev/fuse can't be opened"
	if [ "$(id -u)" -ne 0 ]; then
		need_fusermount
	else
		mount --bind mnt mnt 2>/dev/null || skip "root may not mount here"
		umount mnt
	fi
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "only root can do this"
}

# Has the kernel drop all names of this mount that are not open, as when memory is short. Other mounts keep theirs, as
# another test may rely on them.
forget_names() {
	python3 -c '
import ctypes, sys
FSPICK, FSCONFIG, RECONFIGURE = 433, 431, 7  # system calls, and a command of the second
libc = ctypes.CDLL(None)
mount = libc.syscall(FSPICK, -100, sys.argv[1].encode(), 1)
sys.exit(mount < 0 or libc.syscall(FSCONFIG, mount, RECONFIGURE, None, None, 0) != 0)' "${1:-mnt}"
}

# Starts root's test again in a mount namespace of its own, where that is possible: no mount of another test or
# program may help plyfs to see a change. The namespace begins as a copy, which would keep other tests' mounts alive.
begin_private() {
	local mountpoint
	case ${IS_PRIVATE:-} in
	'')
		[ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || return 0
		IS_PRIVATE=fresh exec unshare --mount bash "$test_file" "$@"
		;;
	fresh)
		export IS_PRIVATE=yes
		while read -r mountpoint; do
			umount -l "$mountpoint" 2>/dev/null || true
		done < <(awk '$3 == "fuse.plyfs" || $2 ~ "/plyfs-test[.]" { print $2 }' /proc/self/mounts)
		;;
	esac
}

# For a test whose mounts may reach nobody else.
need_private() {
	[ -n "${IS_PRIVATE:-}" ] || skip "there can be no private mounts here"
}

# libfuse asks fusermount3 only if the user may open /dev/fuse.
need_user_mounts() {
	need setpriv
	need_fusermount
	if [ "$(id -u)" -eq 0 ] && [ "$(stat -L -c %a /dev/fuse)" != 666 ]; then
		need_private
		{ mknod -m 666 fuse c 10 229 && mount --bind fuse /dev/fuse && : <>/dev/fuse; } 2>/dev/null ||
			skip "/dev/fuse can't be given to others here"
	fi
}

# Has as_user run commands as an ordinary user, whose are low, high and mnt. In root's test, PLYFS is a copy of the
# command: other users may not be able to reach the build.
need_ordinary_user() {
	need_user_mounts
	as_user() { "$@"; }
	[ "$(id -u)" -eq 0 ] || return 0
	as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	cp -L "$PLYFS" plyfs
	chmod 755 "$directory" plyfs
	chown -R 65534:65534 low high mnt
	PLYFS=$directory/plyfs
}

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is missing"
	done
}

begin_private "$@"
directory=$(mktemp -d "${TMPDIR:-/tmp}/plyfs-test.XXXXXX")
cd "$directory"
directory=$PWD
mkdir low high mnt

# Whether something is mounted on $1, also when its process is dead.
is_mounted() {
	awk -v "path=$(realpath -m "$1")" '$5 == path { found = 1 } END { exit !found }' \
		/proc/self/mountinfo
}

unmount() {
	# While a change is being published the mount is in use for a moment.
	local command=(umount "$1")
	[ "$(id -u)" -eq 0 ] || command=(fusermount3 -u "$1")
	eventually "${command[@]}" 2>/dev/null || "${command[@]}"
}

dirty_log() {
	grep -nE 'ERROR: AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error|WARNING|Assertion' "$1"
}

# at_end COMMANDS: commands that run at the end, before the mounts are taken away; the last ones first. Their exit codes
# do not count. Background processes are ended in any case.
endings=
at_end() {
	endings="$1; $endings"
}

clean_up() {
	local code=$? mount
	set +e
	trap - EXIT ERR
	[ -z "$watcher_pid" ] || kill "$watcher_pid" 2>/dev/null
	eval "$endings"
	for mount in "$directory"/*; do
		if is_mounted "$mount"; then
			umount "$mount" 2>/dev/null || umount -l "$mount" 2>/dev/null ||
				fusermount3 -u "$mount" 2>/dev/null || fusermount3 -uz "$mount"
		fi
	done
	if [ -n "$plyfs_pid" ]; then
		kill "$plyfs_pid" 2>/dev/null
		eventually has_ended "$plyfs_pid" || kill -9 "$plyfs_pid"
		wait "$plyfs_pid" 2>/dev/null
	fi
	# shellcheck disable=SC2046
	kill -9 $(jobs -p) 2>/dev/null
	wait 2>/dev/null
	for log in "$directory"/log*; do
		[ -e "$log" ] || continue
		if dirty_log "$log"; then
			echo "failed: $log has sanitizer or warning text" >&2
			[ $code -ne 0 ] || code=1
		fi
		if [ $code -ne 0 ] && [ $code -ne 77 ]; then
			echo "--- $(basename "$log") ---"
			cat "$log"
		fi
	done
	cd /
	chmod -R u+rwX "$directory" 2>/dev/null
	rm -rf --one-file-system "$directory"
	exit $code
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
need_mounts

# Runs a command until it succeeds, for a minute: a loaded machine is slow. If the command itself takes that long, what
# it has seen may be that old: the last run begins after the minute.
eventually() {
	local end=$((SECONDS + 60)) tried_at
	while :; do
		tried_at=$SECONDS
		if "$@"; then return 0; fi
		[ $tried_at -lt $end ] || return 1
		sleep 0.02
	done
}

is_ready() {
	if ! kill -0 "$plyfs_pid" 2>/dev/null; then
		return 0
	fi
	is_mounted "$1" && cat "$1/.plyfs/status" >/dev/null 2>&1
}

# start [ARGUMENT...]: mounts in the foreground; with no arguments low:high on mnt. The last
# argument is the mountpoint.
start() {
	[ $# -gt 0 ] || set -- low:high mnt
	# A shell's background processes ignore SIGINT; this one must not.
	env --default-signal=INT,QUIT "$PLYFS" mount -f ${mount_options:+-o "$mount_options"} "$@" >>"$directory/log" 2>&1 &
	plyfs_pid=$!
	eventually is_ready "${@: -1}" || fail "the mount was not ready in time"
	kill -0 "$plyfs_pid" 2>/dev/null || fail "plyfs ended instead of mounting"
}

# A process whose parent has not yet waited for it is a zombie, which kill(1) still finds.
has_ended() {
	! grep -qs '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status"
}

# Waits for the daemon's end, which must be a clean one.
ended_cleanly() {
	local code=0 pid=$plyfs_pid
	eventually has_ended "$pid" || fail "plyfs does not end"
	plyfs_pid=
	wait "$pid" || code=$?
	[ $code -eq 0 ] || fail "plyfs ended with $code, not 0"
}

stop() {
	unmount "${1:-mnt}"
	ended_cleanly
}

is() {
	[ "$(cat -- "$1" 2>/dev/null)" = "$2" ]
}

# shows FILE TEXT: the file has that content now.
shows() {
	is "$1" "$2" || fail "$1 is: $(cat -- "$1" 2>&1); and not: $2"
}

# comes_to_show FILE TEXT: the file has that content soon.
comes_to_show() {
	eventually is "$1" "$2" || shows "$1" "$2"
}

comes_to_exist() {
	eventually test -e "$1" || fail "$1 does not appear"
}

comes_to_vanish() {
	eventually test ! -e "$1" || fail "$1 does not go away"
}

# lists DIRECTORY NAME...: exactly these names are in it.
has_names() {
	local where=$1
	shift
	[ "$(ls -A "$where")" = "$(printf '%s\n' "$@" | sort)" ]
}

lists() {
	has_names "$@" || fail "$1 lists: $(ls -A "$1" | tr '\n' ' ')"
}

comes_to_list() {
	eventually has_names "$@" || lists "$@"
}

# fails_with TEXT COMMAND...: the command fails, and its message has the text.
fails_with() {
	local text=$1 output
	shift
	if output=$("$@" 2>&1); then
		fail "'$*' succeeded"
	fi
	[[ $output == *"$text"* ]] || fail "'$*' says: $output; and not: $text"
}

attribute() {
	getfattr --absolute-names --only-values -n "$2" -- "$1" 2>/dev/null
}

# Puts a file in place by a rename, from outside of the layer: so the layer has no stray name.
replace() {
	cat >"$directory/replacement"
	mv -f "$directory/replacement" "$1"
}

# status KEY...: prints the value at the path of keys in the mount's status.
status() {
	python3 -c '
import json, sys
value = json.load(open("mnt/.plyfs/status"))
for key in sys.argv[1:]:
    value = value[int(key)] if isinstance(value, list) else value[key]
print(value)' "$@"
}

# watch PATH...: writes inotify's events for the paths to `events`, a line each.
watch() {
	# All events of changes; events of the test's own reads are left out.
	local what=modify,attrib,close_write,moved_from,moved_to,create,delete,delete_self,move_self
	need inotifywait
	: >.last-event
	inotifywait -m -q --format '%w %e %f' -e "$what" "$@" .last-event >events 2>watcher &
	watcher_pid=$!
	eventually is_watching $(($# + 1)) || fail "inotifywait does not start: $(cat watcher)"
}

# Whether all of its watches are set: /proc shows them.
is_watching() {
	[ "$(cat "/proc/$watcher_pid/fdinfo"/* 2>/dev/null | grep -c '^inotify')" -eq "$1" ]
}

# Ends the watching, after the events that are under way have come in: they come in order, and inotifywait may be slow.
unwatch() {
	sleep "${1:-0.5}"
	echo >.last-event
	eventually has_event '^\.last-event ' || fail "inotifywait stands still"
	kill "$watcher_pid"
	wait "$watcher_pid" 2>/dev/null || true
	watcher_pid=
	sed -i '/^\.last-event /d' events
}

has_event() {
	grep -qE -- "$1" events
}

comes_event() {
	eventually has_event "$1" || fail "no event '$1' came, but: $(cat events)"
}

# saw_events EVENT...: exactly these lines, in this order.
saw_events() {
	local wanted
	wanted=$(printf '%s\n' "$@")
	[ "$(cat events)" = "$wanted" ] || fail "the events were: $(cat events); and not: $wanted"
}

saw_no_events() {
	[ ! -s events ] || fail "there were events: $(cat events)"
}

# Continues the test where $limit alone limits inotify's watches: a user namespace has a limit of its own, and no other
# process is affected.
limit_watches() {
	if [ -z "${IN_NAMESPACE:-}" ]; then
		[ "$(id -u)" -ne 0 ] || need_private
		unshare --user --map-root-user --mount true 2>/dev/null || skip "there are no user name spaces"
		code=0
		IN_NAMESPACE=yes unshare --user --map-root-user --mount "$test_file" || code=$?
		exit $code
	fi
	limit=/proc/sys/user/max_inotify_watches
	[ -w $limit ] || skip "$limit can't be written here"
}
