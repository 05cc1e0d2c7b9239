#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"
# The new program has said that it can take the mount over, and fails then. It takes the mount away.

need_root

printf 'a: 1\n' >low/app.yaml
for limit in 'ulimit -n 5' 'mv low gone'; do
	start_replaceable
	shows mnt/app.yaml 'a: 1'
	replace_program <<END
#!/bin/bash
[[ \$* == *--try-take-over* ]] && exit 85
$limit
exec "$PLYFS" "\$@"
END
	kill -USR2 "$plyfs_pid"
	eventually has_ended "$plyfs_pid" || fail "$limit: it has not ended"
	code=0
	wait "$plyfs_pid" || code=$?
	plyfs_pid=
	[ $code -eq 1 ] || fail "$limit: it ended with $code"
	eventually eval '! is_mounted mnt' || fail "$limit: the mount stays, and is dead"
	[ ! -d gone ] || mv gone low
done
grep -q 'Too many open files' log || fail "nobody says so"
start
shows mnt/app.yaml 'a: 1'
stop

# A program that hangs is ended after a minute, and the mount with it.
start_replaceable
replace_program <<'END'
#!/bin/bash
[[ $* == *--try-take-over* ]] && exit 85
exec sleep 1000
END
kill -USR2 "$plyfs_pid"
begin=$SECONDS
until has_ended "$plyfs_pid"; do
	[ $((SECONDS - begin)) -lt 90 ] || fail "it goes on"
	sleep 0.2
done
[ $((SECONDS - begin)) -ge 58 ] || fail "it was ended after $((SECONDS - begin)) s"
plyfs_pid=
is_dead() { [[ $(ls mnt 2>&1) == *'not connected'* ]]; }
eventually is_dead || fail "the mount: $(ls mnt 2>&1)"
umount mnt
