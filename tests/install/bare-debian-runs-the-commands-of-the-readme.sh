#!/bin/bash
# The README's two commands do all their own set-up on a Debian that has nothing: a root of debootstrap's variant
# minbase, with /dev, /proc and /sys. It takes half an hour and 4 GB below TMPDIR, and is in a suite of its own:
#
#     meson test -C build-check --suite bare
#
# The packages come from DEBIAN_MIRROR.
set -euo pipefail

skip() {
	echo "skipped: $*"
	exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root can do this"
for tool in debootstrap unshare chroot; do
	command -v $tool >/dev/null || skip "$tool is missing"
done
unshare --mount --pid --fork true 2>/dev/null || skip "there can be no private mounts here"
source=$(realpath "$(dirname "$(realpath "$0")")/../..")
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
mapfile -t commands < <(sed -n 's/^    \(scripts\/[a-z]*\) .*/\1/p' "$source/README.md")
[ "${commands[*]}" = "scripts/try scripts/check" ] || {
	echo "failed: the README names other commands: ${commands[*]}" >&2
	exit 1
}

directory=$(mktemp -d "${TMPDIR:-/tmp}/plyfs-test.XXXXXX")
trap 'rm -rf --one-file-system "$directory"' EXIT
trap 'exit 1' INT TERM HUP
root=$directory/root
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$directory/log" 2>&1 || {
	! grep -q 'Failed getting release file\|Unable to.*resolve' "$directory/log" || skip "$mirror can't be reached"
	tail -20 "$directory/log" >&2
	exit 1
}
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/srv/plyfs"
tar -C "$source" -c --exclude='./build*' --exclude=./.git . | tar -C "$root/srv/plyfs" -x

# All mounts and processes in there end with it.
in_root() {
	# shellcheck disable=SC2016
	env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		unshare --mount --pid --fork --kill-child bash -c '
			mount --make-rprivate /
			mount --rbind /dev "$0/dev"
			mount -t proc proc "$0/proc"
			mount --rbind /sys "$0/sys"
			exec chroot "$0" sh -c "cd /srv/plyfs && exec $1"' "$root" "$1" </dev/null >"$directory/log" 2>&1
}
for command in "${commands[@]}"; do
	in_root "$command" || {
		echo "failed: $command" >&2
		tail -100 "$directory/log" >&2
		exit 1
	}
	! grep -nE '(^|: )warning: ' "$directory/log" || {
		echo "failed: $command shows warnings of the compiler" >&2
		exit 1
	}
	tail -1 "$directory/log"
done
grep -qE '^[1-9][0-9]* passed, 0 failed, [0-9]+ skipped$' "$directory/log"
