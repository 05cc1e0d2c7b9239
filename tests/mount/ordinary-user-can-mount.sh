#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_user_mounts
umask 022
own=$PLYFS
if [ "$(id -u)" -eq 0 ]; then
	# A copy of the command: other users may not be able to reach the build.
	cp -L "$PLYFS" plyfs
	chmod 755 "$directory" plyfs
	chown -R 65534:65534 low high mnt
	as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	PLYFS=$directory/as-user
	cat >as-user <<-END
		#!/bin/bash
		exec setpriv --reuid 65534 --regid 65534 --clear-groups $directory/plyfs "\$@"
	END
	chmod 755 as-user
else
	as_user() { "$@"; }
fi
as_user bash -c 'echo "a: 1" >low/app.yaml; echo "b: 1" >high/app.yaml'
ready() { as_user cat mnt/app.yaml >/dev/null 2>&1; }
user_is() { [ "$(as_user cat mnt/app.yaml)" = "$1" ]; }

"$PLYFS" mount -f -o noheader low:high mnt >log 2>&1 &
plyfs_pid=$!
eventually ready || fail "no mount: $(cat log)"
user_is $'a: 1\nb: 1' || fail "the content is wrong"
as_user inotifywait -m --format '%e %f' -e move,create,delete mnt >events 2>watcher &
watcher_pid=$!
eventually grep -q 'Watches established' watcher || fail "inotifywait does not start: $(cat watcher)"
as_user bash -c 'echo "b: 2" >high/new; mv high/new high/app.yaml'
eventually user_is $'a: 1\nb: 2' || fail "a change is not seen"
comes_event '^MOVED_TO app.yaml$'
kill $watcher_pid
wait $watcher_pid 2>/dev/null || true
watcher_pid=
if as_user touch mnt/new 2>/dev/null; then
	fail "the user can write into the mount"
fi
# A change of a moment ago may still be under way, and fusermount3 does not wait for it.
eventually as_user fusermount3 -u mnt || fail "it can't be unmounted"
ended_cleanly
! is_mounted mnt || fail "the mount stays"

# With plyfs umount, which waits for the end: by the user, or by root, for whom the mount does not answer.
for who in "$PLYFS" "$own"; do
	"$PLYFS" mount -o noheader low:high mnt
	user_is $'a: 1\nb: 2' || fail "the content is wrong"
	pid=$(as_user cat mnt/.plyfs/status | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
	as_user bash -c 'exec 5<mnt/app.yaml; echo open; until [ -e done ]; do sleep 0.05; done' >held &
	eventually test -s held || fail "nobody holds a file open"
	fails_with 'is busy' "$PLYFS" umount mnt
	touch done
	wait $!
	rm done held
	"$who" umount mnt || fail "$who can not unmount it"
	has_ended "$pid" || fail "$who does not wait for the end"
done

# Not even root can look into the mount of a user: the commands say that, and who can.
if [ "$(id -u)" -eq 0 ]; then
	private='permission denied: another user has mounted it for that user alone; do this as that user'
	"$PLYFS" mount low:high mnt
	for words in 'status mnt' 'check mnt' 'get mnt/app.yaml a' "explain $PWD/mnt/app.yaml" 'set mnt/app.yaml a 2'; do
		# shellcheck disable=SC2086
		fails_with "$private" "$own" $words
	done
	[[ $("$own" status) == *"$PWD/mnt: $private"* ]] || fail "the list says: $("$own" status)"
	"$PLYFS" umount mnt
	# The negative twin: in a mount for all users, the rights of a directory keep the user out.
	mkdir -m 700 low/closed
	echo 'a: 1' >low/closed/app.yaml
	"$own" mount low:high mnt
	fails_with 'allow it to the user who runs plyfs' "$PLYFS" status mnt/closed/app.yaml
	umount mnt
fi
