#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir high/dir
touch low/dir/old
start
ls mnt/dir >/dev/null
last=$(stat -c %.9Y mnt/dir)
newer() { [ "$(printf '%s\n' "$last" "$(stat -c %.9Y mnt/dir)" | sort -n | tail -1)" != "$last" ]; }
after() {
	"$@"
	eventually newer || fail "its time stays $last after: $*"
	last=$(stat -c %.9Y mnt/dir)
}
after touch low/dir/new
after rm low/dir/new
after mkdir high/dir/sub
after rmdir high/dir/sub
after mv low/dir/old low/dir/other
at_least_as_new() {
	local time
	time=$(stat -c %.9Y mnt/dir)
	[ "$(printf '%s\n' "$last" "$time" | sort -n | tail -1)" = "$time" ] || fail "$time is before $last: $*"
}
touch -d '2001-01-01' low/dir high/dir
chmod 711 low/dir
has_mode() { [ "$(stat -c %a mnt/dir)" = 511 ]; }
eventually has_mode || fail "its mode stays $(stat -c %a mnt/dir)"
at_least_as_new 'after a layer was made older'
chmod 755 low/dir
# A layer that leaves takes its time with it. The rest is older, but it has changed all the same.
touch -d '2001-01-01' low/dir
touch -d '2002-02-02' high/dir
stop
start
last=$(stat -c %.9Y mnt/dir)
after rm -r high/dir

[ "$(id -u)" -eq 0 ] || exit 0
# The time does not go back, either, when the kernel has forgotten the directory meanwhile.
stop
mkdir -p high/dir/sub low/dir/sub
touch -d '2001-01-01' low/dir/sub
touch -d '2002-02-02' high/dir/sub
start
before=$(stat -c '%i %.9Y' mnt/dir/sub)
forget_names
[ "$(stat -c '%i %.9Y' mnt/dir/sub)" = "$before" ] ||
	fail "it comes back as $(stat -c '%i %.9Y' mnt/dir/sub) and was $before"
later() { [ "$(printf '%s\n' "${before#* }" "$(stat -c %.9Y mnt/dir/sub)" | sort -n | tail -1)" != "${before#* }" ]; }
forget_names
rm -r high/dir/sub
eventually later || fail "forgotten, its time becomes $(stat -c %.9Y mnt/dir/sub)"
before=$(stat -c '%i %.9Y' mnt/dir/sub)
forget_names
touch low/dir/sub/new
touch -d '2001-01-01' low/dir/sub
eventually later || fail "with a name that came when it was forgotten, its time is $(stat -c %.9Y mnt/dir/sub)"
