#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Programs that are restarted by a touch check the time, or wait for IN_ATTRIB.
mkdir low/sub
echo one >low/sub/only.txt
echo two >low/other.txt
ln -s other.txt low/link
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
touch -d '2020-01-01' low/sub/only.txt low/app.yaml high/app.yaml
touch -h -d '2020-01-01' low/link
start
for path in sub/only.txt other.txt app.yaml; do
	cat mnt/$path >before.$(basename $path)
done
readlink mnt/link >/dev/null
inode=$(stat -c %i mnt/sub/only.txt)
[ "$(stat -c %y mnt/sub/only.txt)" = "$(stat -c %y low/sub/only.txt)" ] || fail "the first time is wrong"

has_time_of() { [ "$(stat -c %y "mnt/$1")" = "$(stat -c %y "${2:-low}/$1")" ]; }
comes_to_have_time_of() {
	eventually has_time_of "$@" || fail "$1 has $(stat -c %y "mnt/$1") and not $(stat -c %y "${2:-low}/$1")"
}

watch mnt mnt/sub mnt/sub/only.txt
touch low/sub/only.txt
comes_to_have_time_of sub/only.txt
comes_event 'ATTRIB only.txt'
unwatch
saw_events 'mnt/sub/ ATTRIB only.txt' 'mnt/sub/only.txt ATTRIB '
[ "$(stat -c %i mnt/sub/only.txt)" = "$inode" ] || fail "it is another file"
cmp mnt/sub/only.txt before.only.txt

# To the past, which is its source's time as well; by a file that was open all along; a link's own time.
exec 3<mnt/sub/only.txt
for time in '2001-01-01 01:01:01.5' '2031-01-01' '1970-01-01 00:00:00'; do
	ctime=$(stat -c %.9Z mnt/sub/only.txt)
	touch -d "$time" low/sub/only.txt
	comes_to_have_time_of sub/only.txt
	[ "$(stat -L -c %y /proc/self/fd/3)" = "$(stat -c %y low/sub/only.txt)" ] || fail "not by the open file"
	[ "$(printf '%s\n' "$ctime" "$(stat -c %.9Z mnt/sub/only.txt)" | sort -n | tail -1)" != "$ctime" ] ||
		fail "ctime went back"
done
exec 3<&-
[ "$(stat -c %i mnt/sub/only.txt)" = "$inode" ] || fail "it is another file"
touch -h -d '2011-11-11' low/link
comes_to_have_time_of link

# The same bytes, written again, are a new time and nothing else. Another file with the same bytes is no change at all,
# but a later touch of that file shows.
watch mnt mnt/other.txt
echo two >low/other.txt
comes_to_have_time_of other.txt
comes_event ATTRIB
unwatch
! grep -v ATTRIB events || fail "there was more than a new time"
watch mnt mnt/other.txt
echo two | replace low/other.txt
unwatch
saw_no_events
touch low/other.txt
comes_to_have_time_of other.txt

# A change after a time in the future is still a newer file.
touch -d '2031-01-01' low/sub/only.txt
comes_to_have_time_of sub/only.txt
time=$(stat -c %Y mnt/sub/only.txt)
echo three >low/sub/only.txt
comes_to_show mnt/sub/only.txt three
[ "$(stat -c %Y mnt/sub/only.txt)" -ge "$time" ] || fail "the time went back"

# The twin: a merged file stays as it was, until it has one source.
time=$(stat -c %y mnt/app.yaml)
watch mnt mnt/app.yaml
touch low/app.yaml high/app.yaml
sleep 0.5
unwatch
saw_no_events
[ "$(stat -c %y mnt/app.yaml)" = "$time" ] || fail "the time of a merged file moved"
rm high/app.yaml
comes_to_show mnt/app.yaml 'a: 1'
touch low/app.yaml
comes_to_have_time_of app.yaml

# A file that the kernel has forgotten meanwhile has the new time at the next lookup.
cat mnt/other.txt >/dev/null
forget_names
touch low/other.txt
comes_to_have_time_of other.txt
stop

# The twin: without publishing the time is right, and no watcher is woken.
mount_options=noheader,unpublished
start
cat mnt/other.txt >/dev/null
watch mnt mnt/other.txt
touch -d '2013-03-03' low/other.txt
comes_to_have_time_of other.txt
unwatch
saw_no_events
stop
mount_options=noheader

# In a strict mount, which asks for each name, the time is never an old one, whoever else asks at the same time.
echo 'options: {coherence: strict}
layers: [low, high]' >plyfs.yaml
start -c plyfs.yaml mnt
cat mnt/sub/only.txt >/dev/null
python3 - <<'END' || fail "a strict mount shows an old time"
import os
import subprocess
import sys
others = [subprocess.Popen([sys.executable, "-c", 'import os\nwhile True: os.stat("mnt/sub/only.txt")'])
          for _ in range(3)]
try:
    for second in range(1500000000, 1500001000):
        os.utime("low/sub/only.txt", (second, second))
        shown = os.stat("mnt/sub/only.txt").st_mtime
        assert shown == second, f"{shown:.0f}, not {second}"
finally:
    for other in others:
        other.kill()
        other.wait()
END
watch mnt/sub
touch low/sub/only.txt
comes_event 'ATTRIB only.txt'
unwatch
stop

# The same in a rendered tree. A merged file keeps the time of its change.
echo 'b: 1' >high/app.yaml
mkdir out
"$PLYFS" render -w -l low:high out >log.render 2>&1 &
rendering=$!
is_rendered() { is out/sub/only.txt three && [ -e out/app.yaml ]; }
eventually is_rendered || fail "it is not rendered: $(cat log.render)"
inode=$(stat -c %i out/sub/only.txt)
time=$(stat -c %y out/app.yaml)
touch low/app.yaml
touch -d '2012-12-12' low/sub/only.txt
is_touched() { [ "$(stat -c %y out/sub/only.txt)" = "$(stat -c %y low/sub/only.txt)" ]; }
eventually is_touched || fail "the rendered file has $(stat -c %y out/sub/only.txt)"
[ "$(stat -c %i out/sub/only.txt)" = "$inode" ] || fail "it is another file"
[ "$(stat -c %y out/app.yaml)" = "$time" ] || fail "the merged file's time moved"
kill "$rendering"
wait "$rendering" || true
touch low/sub/only.txt low/app.yaml
"$PLYFS" render -l low:high out
is_touched || fail "a run does not give the new time"
[ "$(stat -c %i out/sub/only.txt)" = "$inode" ] || fail "it is another file"
[ "$(stat -c %y out/app.yaml)" = "$time" ] || fail "the merged file's time moved"
