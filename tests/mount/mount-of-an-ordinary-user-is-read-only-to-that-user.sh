#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_user_mounts
# Not one that only root can run.
PATH=/usr/bin:/bin:$PATH
need python3
changer=$(dirname "$test_file")/changer.py
mkdir low/dir low/empty
echo 'a: 1' | tee low/app.yaml low/other low/dir/file >/dev/null
ln -s app.yaml low/link
as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
	cp -L "$PLYFS" plyfs
	cp "$changer" changer.py
	changer=$directory/changer.py
	chmod 755 "$directory" plyfs
	chown -R 65534:65534 low high mnt
	as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	PLYFS=$directory/plyfs
fi
ready() { as_user cat mnt/app.yaml >/dev/null 2>&1; }
env --default-signal=INT,QUIT setpriv --reuid "$(as_user id -u)" --regid "$(as_user id -g)" \
	--clear-groups "$PLYFS" mount -f -o noheader low:high mnt >>log 2>&1 &
plyfs_pid=$!
eventually ready || fail "no mount: $(cat log)"
# The user may not write a file without write permission, and gets that error before any other.
as_user python3 "$changer" EACCES EPERM || fail "not all of them are refused, see above"
as_user fusermount3 -u mnt
ended_cleanly
