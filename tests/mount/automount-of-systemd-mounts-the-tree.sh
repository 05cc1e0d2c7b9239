#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/systemd.sh"

# Until systemd has mounted, the mountpoint of an automount lets through nobody but systemd's process group: all others
# wait for the mount.
need mount.fuse3
[ -e /dev/autofs ] || skip "the kernel has no automounts"
start_systemd
rmdir high
mkdir bin
ln -s "$PLYFS" bin/plyfs
printf 'a: 1\n' >low/app.yaml
automount=$(systemd-escape -p "$directory/mnt").automount
printf '%s\n' '[Unit]' DefaultDependencies=no '[Automount]' "Where=$directory/mnt" >units/"$automount"
printf '%s\n' '[Unit]' DefaultDependencies=no '[Mount]' "What=$directory/low" "Where=$directory/mnt" \
	Type=fuse.plyfs Options=noheader >units/"${automount%auto*}mount"
# mount.fuse3 has a shell search the system's directories for "plyfs".
inside mount --bind "$directory/bin" /usr/local/bin
inside cp "$directory/units/$automount" "$directory/units/${automount%auto*}mount" /run/units/
inside systemctl daemon-reload
inside systemctl start "$automount"

is_unmounted() { ! inside grep -q " fuse.plyfs " /proc/self/mounts; }
has_ended() { ! inside pgrep plyfs >/dev/null; }
is_unmounted || fail "it is mounted already"
for _ in 1 2; do
	SECONDS=0
	[ "$(inside cat "$directory/mnt/app.yaml")" = 'a: 1' ] || fail "it is not mounted"
	[ $SECONDS -lt 4 ] || fail "that took $SECONDS s"
	group=$(inside ps -o pgrp= -C plyfs | sort -u)
	[ -n "$group" ] && ! grep -qw 1 <<<"$group" || fail "it stays in the group of systemd"
	inside systemctl stop "${automount%auto*}mount"
	is_unmounted || fail "it is mounted still"
	eventually has_ended || fail "a process goes on"
done
