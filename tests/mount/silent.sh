# shellcheck shell=bash
# For tests of mounts that do not answer; sourced behind mount.sh.
need_root
need timeout
need_private

# The time limit of ends(): what it is against waits for ever.
limit_s=100

make_silent() { # MOUNTPOINT KIND [STATUS], as silent.py has them
	rm -f "$2.out" "$2.in" # of the mount before
	mkfifo "$2.in"
	# It is silent when it is to be, and not because other tests have the processors.
	nice -n -15 python3 "$(dirname "$test_file")/silent.py" "$@" <"$2.in" >"$2.out" 2>&1 &
	eval "exec {$2_fd}>$2.in"
	at_end "exec {$2_fd}>&-; umount -fl $directory/$1 2>/dev/null || true"
	eventually grep -q mounted "$2.out" || fail "it does not mount: $(cat "$2.out")"
}

# answers_no REQUEST: the mount of kind half_FORGET does not answer such requests from now on; NONE: it answers all.
answers_no() {
	: >half_FORGET.out
	# make_silent has named the variable.
	# shellcheck disable=SC2154
	echo "$1" >&"$half_FORGET_fd"
	eventually grep -q "$1" half_FORGET.out
}

# ends CODE COMMAND...: within the time limit, whatever becomes of the processes that the command made.
ends() {
	local wanted=$1 code=0
	shift
	said=$(timeout -s KILL "$limit_s" "$@" 2>&1 </dev/null) || code=$?
	[ $code -eq "$wanted" ] || fail "$*: exit status $code, and: $said"
}
says() { [[ $said == *"$1"* ]] || fail "no '$1' in: $said"; }

# killed_mount_ends SECONDS: plyfs is killed; it ends, and so does its mount, within that time. On a busy machine a
# process may stand still for some seconds more.
killed_mount_ends() {
	local begin=$SECONDS
	kill -9 "$plyfs_pid"
	eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
	is_cut() { [[ $(timeout 5 ls mnt 2>&1) == *"not connected"* ]]; }
	eventually is_cut || fail "the mount has not ended"
	[ $((SECONDS - begin)) -le $(($1 + 4)) ] || fail "the end of the killed mount took $((SECONDS - begin)) s"
	plyfs_pid=
	umount -l mnt
}
