#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

need python3
need_ordinary_user
mkdir run
as_user true || skip "there is no ordinary user"
echo 'a: 1' >low/app.yaml
[ "$(id -u)" -ne 0 ] || chown 65534:65534 run
chmod 644 low/app.yaml
export XDG_RUNTIME_DIR=$directory/run
as_user "$PLYFS" mount -o noheader low:high mnt
[ "$(as_user cat mnt/app.yaml)" = 'a: 1' ] || fail "it is not mounted"
serving() { as_user "$PLYFS" status --json mnt | sed -n 's/^ *"pid": \([0-9]*\),$/\1/p'; }
plyfs_pid=$(serving)
as_user "$PLYFS" mount --take-over mnt || fail "it is not taken over"
as_user kill -USR2 "$plyfs_pid"
twice() { as_user "$PLYFS" status --json mnt | grep -q '"take_over": {"tried": 2}'; }
eventually twice || fail "it is not taken over twice"
[ "$(serving)" = "$plyfs_pid" ] || fail "another process serves"
echo 'a: 2' >low/app.yaml
changed() { [ "$(as_user cat mnt/app.yaml)" = 'a: 2' ]; }
eventually changed || fail "a change does not show"
# Without its directory nobody finds it; the signal is enough, and the message says so.
taken_over_without() {
	fails_with "kill -USR2 $plyfs_pid" as_user env -u XDG_RUNTIME_DIR "$PLYFS" mount --take-over mnt
}
taken_over_without
as_user "$PLYFS" umount mnt
eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
as_user env -u XDG_RUNTIME_DIR "$PLYFS" mount -o noheader low:high mnt
plyfs_pid=$(serving)
taken_over_without
as_user kill -USR2 "$plyfs_pid"
once() { as_user "$PLYFS" status --json mnt | grep -q '"take_over": {"tried": 1}'; }
eventually once || fail "it is not taken over by the signal"
as_user "$PLYFS" umount mnt
eventually has_ended "$plyfs_pid" || fail "plyfs does not end"

# The kernel asks an ordinary user's mount for the right to search it: with a slash at its name, and at a change to it.
as_user "$PLYFS" mount -o noheader low:high mnt/./
plyfs_pid=$(serving)
as_user "$PLYFS" mount --take-over mnt/ || fail "a mountpoint with a slash is not taken over"
as_user "$PLYFS" umount mnt
eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
(cd mnt && as_user "$PLYFS" mount -o noheader ../low:../high .)
plyfs_pid=$(serving)
fails_with 'plyfs was started in the mountpoint' as_user "$PLYFS" mount --take-over mnt
[ "$(as_user cat mnt/app.yaml)" = 'a: 2' ] || fail "the running plyfs does not go on"
as_user "$PLYFS" umount mnt
eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
plyfs_pid=
