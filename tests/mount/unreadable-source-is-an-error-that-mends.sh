#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need_user_mounts
cp -L "$PLYFS" plyfs
chmod 755 "$directory" plyfs
chown 65534:65534 mnt
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
user_is() { [ "$(as_user cat mnt/app.yaml 2>/dev/null)" = "$1" ]; }
in_trouble() { as_user getfattr -n user.plyfs.error mnt/app.yaml >/dev/null 2>&1; }
mended() { ! in_trouble; }

setpriv --reuid 65534 --regid 65534 --clear-groups ./plyfs mount -f -o noheader low:high mnt >log 2>&1 &
plyfs_pid=$!
eventually user_is $'a: 1\nb: 1' || fail "no mount: $(cat log)"

chmod 600 high/app.yaml
eventually in_trouble || fail "a source that can't be read is no error"
user_is $'a: 1\nb: 1' || fail "the last good version is gone"
chmod 644 high/app.yaml
eventually mended || fail "the error stays"
echo 'b: 2' >high/app.yaml
eventually user_is $'a: 1\nb: 2' || fail "a change is not seen"
# While the change is being published, the mount is busy.
eventually as_user fusermount3 -u mnt || fail "it can't be unmounted"
ended_cleanly
