#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A mount over /etc, in which libraries look for users, time zones and more by themselves. As long as no process answers
# for the mount, no process of plyfs may look at it. Only this test sees the mount.
need_root
need_private
mount_options=noheader,over_system
mkdir -p etc/plyfs bin
for tool in awk; do # Debian finds it by /etc/alternatives
	ln -s "$(realpath "$(command -v $tool)")" bin/$tool
done
PATH=$directory/bin:$PATH
cp -a /etc/passwd /etc/group etc/
cp -aL /etc/nsswitch.conf /etc/localtime etc/ 2>/dev/null || true
mount --bind etc /etc
at_end 'while umount -l /etc 2>/dev/null; do :; done'
echo 'a: 1' >/etc/app.yaml
echo 'b: 1' >high/app.yaml

shows_all() {
	shows /etc/app.yaml "$1"
	grep -q '^root:' /etc/passwd || fail "/etc/passwd does not show"
	getent passwd root >/dev/null || fail "users are not found"
}

for turn in 1 2 3; do
	start "/etc:$directory/high" /etc
	shows_all $'a: 1\nb: 1'
	echo 'b: 2' | replace high/app.yaml
	comes_to_show /etc/app.yaml $'a: 1\nb: 2'
	echo 'b: 1' | replace high/app.yaml
	stop /etc
done

# Its plyfs.yaml lies beneath it, and is read again. So are layers that are found by the user's name.
mkdir etc/plyfs/low etc/plyfs/of-root
echo 'a: 1' >etc/plyfs/low/app.yaml
cp etc/passwd etc/nsswitch.conf etc/plyfs/low/ 2>/dev/null || true
echo 'u: 1' >etc/plyfs/of-root/app.yaml
echo "layers: [plyfs/low, 'plyfs/of-%u']" >etc/plyfs.yaml
exec 5<etc
beneath=/proc/self/fd/5
start -c /etc/plyfs.yaml /etc
shows_all $'a: 1\nu: 1'
echo "layers: [plyfs/low]" | replace $beneath/plyfs.yaml
comes_to_show /etc/app.yaml 'a: 1'
mv $beneath/plyfs/low $beneath/plyfs/gone
mkdir $beneath/plyfs/low
echo 'a: 2' >$beneath/plyfs/low/app.yaml
comes_to_show /etc/app.yaml 'a: 2'
stop /etc
exec 5<&-
