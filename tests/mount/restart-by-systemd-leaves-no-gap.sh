#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/systemd.sh"

need python3
start_systemd
printf 'layers: [%s/low]\noptions: {header: false}\n' "$directory" >"$settings"
printf 'a: 1\n' >low/app.yaml
rmdir mnt
holder=$(dirname "$test_file")/holder.py
cp "$holder" holder.py

# holds REPORT: starts a holder, and waits until it is ready.
holds() {
	inside python3 "$directory/holder.py" "$directory/mnt" "$directory/$1" >"$1.out" 2>&1 &
	holder=$!
	eventually grep -qs '^ready' "$1" || fail "nobody holds it: $(cat "$1.out")"
}

# ends REPORT TEXT: ends the holder, which must report TEXT.
ends() {
	: >"$1.end"
	wait $holder || fail "$(cat "$1" "$1.out")"
	[ "$(tail -n 1 "$1")" = "kept: $2" ] || fail "it says: $(cat "$1")"
	cat "$1.out"
}

inside_shows() {
	[ "$(inside cat "$directory/mnt/app.yaml" 2>/dev/null)" = "$1" ]
}

inside systemctl start "$unit" || fail "it does not start: $(cat log)"
[ -d mnt ] || fail "the mountpoint is not made"
inside_shows 'a: 1'
[ "$(property OOMPolicy)" = continue ] || fail "the mount ends with its first worker that the kernel kills"

# A restart, a reload, and a restart in which something changes: one event, nothing that fails.
holds report
first=$(property MainPID)
inside systemctl restart "$unit"
second=$(property MainPID)
[ "$second" != "$first" ] || fail "it is not restarted"
[ "$(property NFileDescriptorStore)" = 0 ] || fail "systemd keeps what was taken"
is_taken_over() { inside cat "$directory/mnt/.plyfs/status" | grep -q '"take_over": {"tried": 1}'; }
! is_taken_over || fail "it is taken over already"
inside systemctl reload "$unit"
eventually is_taken_over || fail "nobody has taken over"
[ "$(property MainPID)" = "$second" ] || fail "another process serves"
[ "$(property ActiveState)" = active ]
printf 'a: 2\n' | replace low/app.yaml
inside systemctl restart "$unit"
eventually inside_shows 'a: 2' || fail "what changed does not show"
for _ in 1 2 3; do
	inside systemctl restart "$unit"
done
sleep 0.3
ends report 'read 2, 1 events'
! grep -q 'does not keep' log || fail "systemd keeps nothing"

# When the unit is stopped, the mount is gone.
inside systemctl stop "$unit"
! inside findmnt "$directory/mnt" || fail "it is mounted still"
[ "$(property Result)" = success ] || fail "$(property Result)"

# A killed plyfs leaves nothing, and is started again.
inside systemctl start "$unit"
inside systemctl kill -s KILL "$unit"
eventually inside_shows 'a: 2' || fail "it is not started again: $(cat log)"

# If plyfs can't be started any more, the mount is gone, too.
cp "$settings" good
printf 'layers: 17\n' >"$settings"
! inside systemctl restart "$unit" 2>/dev/null || fail "it starts with broken settings"
is_gone() { ! inside findmnt "$directory/mnt" >/dev/null; }
eventually is_gone || fail "it is mounted still"
cp good "$settings"
inside systemctl reset-failed "$unit"
inside systemctl restart "$unit"
inside_shows 'a: 2' || fail "it does not come back"

# The negative twin: systemd keeps nothing.
printf 'FileDescriptorStoreMax=0\n' >>units/plyfs@.service.d/test.conf
inside cp "$directory/units/plyfs@.service.d/test.conf" /run/units/plyfs@.service.d/test.conf
inside systemctl daemon-reload
holds twin
inside systemctl restart "$unit"
eventually grep -q '^failed' twin || fail "nobody notices: $(cat twin)"
wait $holder || true
grep -q 'FileDescriptorStoreMax=1 in its unit' log || fail "nobody says so"
inside_shows 'a: 2'
inside systemctl stop "$unit"
