#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

need python3
need_root
mount_options=
printf 'layers: [low, high]\noptions: {header: false}\n' >plyfs.yaml
cp plyfs.yaml good.yaml
echo 'number: 0' >low/app.yaml
start_replaceable -c plyfs.yaml mnt
shows mnt/app.yaml 'number: 0'

# Reads all the time, also names that only the daemon knows, and prints the longest pause in seconds.
cat >reader.py <<'END'
import os, sys, time
longest, count = 0, 0
while not os.path.exists("enough"):
    began = time.monotonic()
    assert open("mnt/app.yaml").read().startswith("number: ")
    assert not os.path.exists(f"mnt/absent-{count}")
    longest = max(longest, time.monotonic() - began)
    count += 1
    time.sleep(0.001)
print(int(longest))
END
python3 reader.py >paused 2>log-reader &
reader=$!
watch mnt
number=0

# A change shows, and wakes watchers once.
is_served_as_before() {
	number=$((number + 1))
	[ "$(serving)" = "$plyfs_pid" ] || fail "$1: another process serves"
	saw_no_events
	echo "number: $number" | replace low/app.yaml
	comes_event '^mnt/ MOVED_TO app.yaml$'
	comes_to_show mnt/app.yaml "number: $number"
	unwatch 0.1
	[ "$(grep -c MOVED_TO events)" -eq 1 ] || fail "$1: not one event: $(cat events)"
	watch mnt
}

# refused TEXT: the command reports that the mount was not taken over because of TEXT, and so does the log.
refused() {
	local before said
	before=$(tried)
	said=$(grep -c 'was not taken over' log) || true
	fails_with "$1" timeout 60 "$PLYFS" mount --take-over mnt
	[ "$(tried)" -eq $((before + 1)) ] || fail "$1: it was not tried"
	[[ $(take_over_error) == *"$1"* ]] || fail "$1: the status has: $(take_over_error)"
	# The last such line: meanwhile the log may have got others, as of settings that can't be used.
	[ "$(grep -c 'was not taken over' log)" -eq $((said + 1)) ] || fail "$1: the log has: $(tail -n 3 log)"
	grep 'was not taken over' log | tail -n 1 | grep -F "was not taken over ($(take_over_error))" >/dev/null ||
		fail "$1: the log has: $(tail -n 3 log)"
	is_served_as_before "$1"
}

# By programs that die, refuse, or know nothing of take-overs.
replace_program <<<$'#!/bin/bash\nkill -KILL $$'
refused 'ended by a signal: Killed'
replace_program <<<$'#!/bin/bash\necho "this machine is too old"; exit 1'
refused 'this machine is too old'
replace_program <<<$'#!/bin/bash\nseq -f "plyfs: warning %g" 200; echo "plyfs: no layers"; exit 1'
refused 'no layers'
replace_program <<<$'#!/bin/bash\nexit 0'
refused 'ended with the exit code 0'
replace_program 644 <<<$'#!/bin/bash\nexit 85'
refused 'permission denied; allow it'
replace_program <<<'nothing that can be run'
refused 'Exec format error'
rm plyfs
refused "$directory/plyfs: there is no such file"

# By programs that say nothing: one is stopped, the other talks for ever and has a stopped child.
replace_program <<<$'#!/bin/bash\necho $$ >>trials; kill -STOP $$'
refused 'did not answer in time'
replace_program <<<$'#!/bin/bash\necho $$ >>trials; (echo $BASHPID >>trials; kill -STOP $BASHPID) & exec yes'
refused 'did not answer in time'
[ "$(wc -l <trials)" -eq 3 ] || fail "the trials were: $(cat trials)"
while read -r trial; do
	eventually has_ended "$trial" || fail "a trial goes on"
done <trials

# By programs that could, and are gone when it is their turn: everything was at rest already.
replace_program <<<$'#!/bin/bash\nrm plyfs; exit 85'
refused 'was replaced meanwhile'
replace_program <<<$'#!/bin/bash\nmv other plyfs; exit 85'
cp plyfs other
refused 'was replaced meanwhile'
ln -s /bin/bash shell
replace_program <<<"#!$directory/shell"$'\nrm shell; exit 85'
refused 'there is no such file'

# By plyfs: it can't read the state, or the settings, or has others.
replace_program <<<"#!/bin/bash"$'\n'"exec '$PLYFS' \"\${@/--try-take-over=*/--try-take-over=999,cached}\""
refused "can't read the state"
cp -L "$PLYFS" plyfs.new
mv plyfs.new plyfs
echo 'layers: 17' >plyfs.yaml
refused "$directory/plyfs.yaml:1:9"
sed 's/false/false, coherence: strict/' good.yaml >plyfs.yaml
refused "'coherence' in plyfs.yaml differs"
: >no-directory
sed 's,false,false\, state: no-directory,' good.yaml >plyfs.yaml
refused 'no-directory'
mkdir other
sed "s,false,false\, state: $directory/state," good.yaml >other.yaml
"$PLYFS" mount -c other.yaml other
sed "s,false,false\, state: $directory/./state," good.yaml >plyfs.yaml
refused "state: is in use as the state of another mount"
"$PLYFS" umount other
cp good.yaml plyfs.yaml

# Nothing of all this is left, and a take-over is possible still.
touch enough
wait $reader || fail "$(cat log-reader)"
# A trial that hangs takes 10 s.
[ "$(cat paused)" -lt 9 ] || fail "a reader waited for $(cat paused) s"
[ "$(pgrep -P "$plyfs_pid" | wc -l)" -le 12 ] || fail "children are left: $(pgrep -al -P "$plyfs_pid")"
renewed
is_served_as_before 'a good one'

# A path that plyfs does not serve, and a mount of another user.
fails_with 'no plyfs of yours serves it' "$PLYFS" mount --take-over low
if command -v setpriv >/dev/null; then
	chmod 755 "$directory"
	fails_with 'no plyfs of yours serves it' setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$PLYFS" mount --take-over "$directory/mnt"
	fails_with 'Permission denied' setpriv --reuid 65534 --regid 65534 --clear-groups cat /run/plyfs/mounts
fi
kill -STOP "$plyfs_pid"
at_end "kill -CONT $plyfs_pid"
fails_with "(process $plyfs_pid serves it)" "$PLYFS" status mnt
kill -CONT "$plyfs_pid"
is_served_as_before 'a stop'
stop
