#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
chmod 755 "$directory"
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
# root's source, which is open to all, takes nothing from its owner and group.
eventually mode_is 440 || fail "the mode is $(stat -c %a mnt/app.yaml)"
[ "$(stat -c %u:%g mnt/app.yaml)" = 65534:65534 ] || fail "it is of $(stat -c %u:%g mnt/app.yaml)"
setpriv --reuid 65534 --regid 65534 --clear-groups cat mnt/app.yaml >/dev/null
if setpriv --reuid 65533 --regid 65533 --clear-groups cat mnt/app.yaml 2>/dev/null; then
	fail "a file of one user is read by another"
fi
chmod 640 high/app.yaml
# Members of the lower source's group may read that source, but root's source has another group.
eventually mode_is 400 || fail "the mode is $(stat -c %a mnt/app.yaml)"
[ "$(stat -c %u mnt/app.yaml)" = 0 ] || fail "the owner is $(stat -c %u mnt/app.yaml)"
