#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# With a directory for last good versions: the new daemon has it, and gets what the old one could not write.
need python3 pgrep
need_root
mount_options=
for name in app gone; do
	echo 'a: 1' >low/$name.yaml
	echo 'b: 1' >high/$name.yaml
done
printf 'layers: [low, high]\noptions: {state: %s/state, header: false}\n' "$PWD" >plyfs.yaml
kept() { [ "$(status kept versions)" -eq "$1" ]; }
writer() { pgrep -P "$plyfs_pid" -x plyfs-state; }
has_no_writer() { [[ $("$PLYFS" status mnt) == *'the process plyfs-state has ended'* ]]; }

start -c plyfs.yaml mnt
cat mnt/app.yaml mnt/gone.yaml >/dev/null
eventually kept 2 || fail "what is kept: $(status kept)"
renewed
eventually writer >/dev/null || fail "no process writes after the take-over"
mkdir other
if "$PLYFS" mount -f -c plyfs.yaml other >told 2>&1; then fail "two mounts have one state"; fi
grep -q "$PWD/state: is in use as the state of another mount" told || fail "it says: $(cat told)"

# By another path it is the same directory.
ln -s state link
sed -i 's,/state,/link,' plyfs.yaml
renewed
eventually writer >/dev/null || fail "no process writes after a take-over by a link"

# Its process was killed, and what came then is in no file.
kill -KILL "$(writer)"
eventually has_no_writer || fail "the status is: $("$PLYFS" status mnt)"
echo 'a: 2' >low/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 1'
rm low/gone.yaml high/gone.yaml
comes_to_vanish mnt/gone.yaml
renewed
eventually kept 1 || fail "what was removed is kept: $(status kept)"
stop

echo 'a: [' | tee low/app.yaml >low/gone.yaml
echo 'b: 1' >high/gone.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 2\nb: 1'
fails_with 'Input/output error' cat mnt/gone.yaml
stop
