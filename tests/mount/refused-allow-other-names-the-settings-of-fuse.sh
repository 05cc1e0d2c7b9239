#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_user_mounts
[ "$(id -u)" -eq 0 ] || skip "only root can mount as another user here"
need_private
chmod 755 .
chown nobody low mnt
echo 'a: 1' >low/app.yaml
touch fuse.conf /etc/fuse.conf
mount --bind fuse.conf /etc/fuse.conf

refused() {
	local code=0
	setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/nonexistent "$PLYFS" mount -o allow_other low mnt 2>err || code=$?
	[ $code -eq 1 ] || fail "it ends with $code: $(cat err)"
	grep -qx "plyfs: $PWD/mnt: can't be mounted for all users: /etc/fuse.conf has no line 'user_allow_other'; .*" err || fail "$(cat err)"
	! grep -q 'modprobe\|/dev/fuse\|fuse3 is' err || fail "$(cat err)"
}
refused
echo '#user_allow_other' >fuse.conf
refused
printf 'mount_max = 1000\nuser_allow_other_x\nuser_allow_other x\n' >fuse.conf
refused

# The negative twin: another reason is reported as before.
printf 'mount_max = 1000\n  user_allow_other  # all\n' >fuse.conf
chown root mnt
chmod 755 mnt
if setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/nonexistent "$PLYFS" mount -o allow_other low mnt 2>err; then fail 'it is mounted'; fi
! grep -q 'for all users' err || fail "$(cat err)"
