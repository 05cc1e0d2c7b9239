#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Not one that only root can run.
PATH=/usr/bin:/bin:$PATH
need python3
changer=$(dirname "$test_file")/changer.py
mkdir low/dir low/empty
echo 'a: 1' | tee low/app.yaml low/other low/dir/file >/dev/null
ln -s app.yaml low/link
need_ordinary_user
cp "$changer" changer.py
ready() { as_user cat mnt/app.yaml >/dev/null 2>&1; }
env --default-signal=INT,QUIT setpriv --reuid "$(as_user id -u)" --regid "$(as_user id -g)" \
	--clear-groups "$PLYFS" mount -f -o noheader low:high mnt >>log 2>&1 &
plyfs_pid=$!
eventually ready || fail "no mount: $(cat log)"
# The user may not write a file without write permission, and gets that error before any other.
as_user python3 "$directory/changer.py" EACCES EPERM || fail "not all of them are refused, see above"
as_user fusermount3 -u mnt
ended_cleanly
