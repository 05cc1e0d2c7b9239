#!/bin/bash
. "$(dirname "$0")/cli.sh"
need setpriv flock mkfifo
[ "$(id -u)" -eq 0 ] || skip 'only root can signal the processes of all users'

# The mirror's user writes the status: its number may be that of any process.
chmod 755 .
mkdir -p state/tree.1
ln -s "$PWD/state/tree.1" fleet
touch state/lock
mkfifo state/confirm.new
chown -R nobody state
setpriv --reuid nobody --clear-groups flock -F state/lock sleep 600 &
holder=$!
env --default-signal=HUP sleep 600 &
stranger=$!
trap 'kill $holder $stranger 2>/dev/null || true; rm -rf "$directory" "$TMPDIR"' EXIT
printf '{"kind": "git", "pid": %d, "offer": "word"}\n' $stranger >state/status.json
until ! flock -n -s state/lock true; do
	sleep 0.05
done

# A FIFO in the place of the file holds up nothing, and the umask does not keep the mirror out.
umask 077
runs 0 timeout 60 "$PLYFS" mirror confirm fleet
[ "$(setpriv --reuid nobody --clear-groups cat "$PWD/state/confirm")" = word ] || fail 'the mirror can not read the word'
sleep 0.2
kill -0 $stranger || fail 'the process of another user got the signal'

# The twin: a process of the mirror's user gets it.
env --default-signal=HUP setpriv --reuid nobody --clear-groups sleep 600 &
own=$!
trap 'kill $holder $stranger $own 2>/dev/null || true; rm -rf "$directory" "$TMPDIR"' EXIT
until [ "$(stat -c %U /proc/$own)" = nobody ]; do
	sleep 0.05
done
printf '{"kind": "git", "pid": %d, "offer": "word"}\n' $own >state/status.json
runs 0 timeout 60 "$PLYFS" mirror confirm fleet
wait $own && fail 'the mirror was not woken'
[ ! -e /proc/$own ]
