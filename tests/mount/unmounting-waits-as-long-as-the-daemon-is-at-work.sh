#!/bin/bash
. "$(dirname "$0")/mount.sh"

# plyfs umount finds the daemon without its answer, waits while the daemon is at work, and says why one does not end.
need_root
need unshare
need_private
echo 'a: 1' >low/app.yaml
again() {
	"$PLYFS" mount -o noheader low:high mnt
	pid=$("$PLYFS" status --json mnt | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
}
unmounts() {
	timeout 60 "$PLYFS" umount mnt 2>err || fail "it fails: $(cat err)"
	! is_mounted mnt || fail "it is still mounted"
}
says() { grep -qF -- "$1" err || fail "it says: $(cat err); and not: $1"; }

again
unmounts
[ ! -s err ] || fail "it says: $(cat err)"
has_ended "$pid" || fail "the daemon has not ended"

# One that is stopped holds the layers.
again
kill -STOP "$pid"
unmounts
says "mnt: is unmounted, but its process $pid is stopped, and still holds the layers; it ends after 'kill -CONT $pid'"
kill -CONT "$pid"
eventually has_ended "$pid" || fail "it does not end"

# One that is only late is waited for: it is stopped for less than the time after which it is examined.
again
kill -STOP "$pid"
(sleep 2 && kill -CONT "$pid") &
unmounts
[ ! -s err ] || fail "it says: $(cat err)"
has_ended "$pid" || fail "the daemon has not ended"
wait

# Another mount namespace has the mount.
again
mkfifo hold
unshare --mount --propagation private sh -c 'echo up; read -r line <hold' >up &
holder=$!
eventually test -s up
unmounts
says "mnt: is unmounted here, but its process $pid goes on, and holds the layers: a container may still have the mount"
! has_ended "$pid" || fail "it ended while it was in use"
echo end >hold
wait $holder
eventually has_ended "$pid" || fail "it does not end"
