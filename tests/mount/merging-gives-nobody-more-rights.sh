#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
echo 'a: 1' >low/app.yaml
echo 'b: secret' >high/app.yaml
echo text >low/motd
chmod 4777 low/motd
chmod 644 low/app.yaml
chmod 600 high/app.yaml
start
[ "$(stat -c %a mnt/app.yaml)" = 400 ] || fail "the mode is $(stat -c %a mnt/app.yaml)"
[ "$(stat -c %a mnt/motd)" = 555 ] || fail "the mode is $(stat -c %a mnt/motd)"
if setpriv --reuid 65534 --regid 65534 --clear-groups cat mnt/app.yaml 2>/dev/null; then
	fail "a secret is read by another user"
fi
chmod 644 high/app.yaml
mode_is() { [ "$(stat -c %a mnt/app.yaml)" = "$1" ]; }
eventually mode_is 444 || fail "a change of the mode is not seen"
chown 65534:65534 low/app.yaml
chmod 640 low/app.yaml
# Of its group, whose members may read it, root's is not.
eventually mode_is 400 || fail "the mode is $(stat -c %a mnt/app.yaml)"
[ "$(stat -c %u mnt/app.yaml)" = 0 ] || fail "the owner is $(stat -c %u mnt/app.yaml)"
