#!/bin/bash
# If the guard of a command is stopped or killed, its command alone fails: files are read, saved settings and other
# commands' files are shown. A stopped guard is reported at once, and continued when its command's time is over.
. "$(dirname "$0")/mount.sh"

need pgrep

# A check of *.slow waits for the file `go`.
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: '*.slow', timeout: 10m, check: [sh, -c, 'until [ -e $PWD/go ]; do sleep 0.05; done', sh, '%f']}
  - {match: '*.late', timeout: 15s, check: [sh, -c, 'until [ -e $PWD/go ]; do sleep 0.05; done', sh, '%f']}
  - {match: '*.conf', check: [grep, -q, good, '%f']}
YAML
chmod 711 .
touch go
echo 1 >low/a.slow
echo 1 >low/a.late
echo good >low/a.conf
echo 'a: 1' >low/app.yaml
start -c plyfs.yaml mnt
shows mnt/a.slow 1
shows mnt/a.late 1
shows mnt/a.conf good
shows mnt/app.yaml 'a: 1'

has_guard() { guard=$(pgrep -P "$plyfs_pid" -x plyfs-guard); }
has_no_guard() { ! has_guard; }
# begin_check FILE CONTENT: a check of the content runs. Sets `guard`, and `program`, its child.
begin_check() {
	eventually has_no_guard || fail "the guard before stays"
	rm -f go
	echo "$2" | replace "low/$1"
	eventually has_guard || fail "no guard runs"
	eventually pgrep -P "$guard" >/dev/null || fail "no program runs"
	program=$(pgrep -P "$guard")
}
reports() { [[ $("$PLYFS" status mnt) == *$1* ]]; }
has_logged() { grep -qF "$1" log; }
has_gone() { has_ended "$1" || [ ! -e "/proc/$1" ]; }

begin_check a.slow 2
# Whatever runs the commands is stopped.
pkill -STOP -P "$plyfs_pid" -x 'plyfs-(run|guard)'
eventually reports "the process plyfs-guard is stopped: " || fail "the status is: $("$PLYFS" status mnt)"
reports "kill -CONT $guard" || fail "no remedy: $("$PLYFS" status mnt)"
eventually has_logged 'the process plyfs-guard is stopped' || fail "the log has: $(cat log)"
echo 'good too' | replace low/a.conf
comes_to_show mnt/a.conf 'good too'
# Each of them is read by itself: none comes within 20 ms of the one before.
for number in $(seq 350); do
	echo "# $number" >>plyfs.yaml
	sleep 0.03
done
echo 'a: 2' | replace low/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
timeout 60 cat mnt/a.slow >/dev/null || fail "a file is not read after settings were saved often"
shows mnt/a.slow 1
kill -CONT "$guard"
touch go
comes_to_show mnt/a.slow 2
eventually has_gone "$guard" || fail "the guard stays"

# One that is killed: the check is repeated.
begin_check a.slow 3
kill -KILL "$guard"
in_trouble() { [[ $("$PLYFS" status mnt) == *"as its process plyfs-guard was killed"* ]]; }
eventually in_trouble || fail "the status is: $("$PLYFS" status mnt)"
eventually has_gone "$program" || fail "the program outlives its guard"
shows mnt/a.slow 2
touch go
comes_to_show mnt/a.slow 3

# One that stays stopped, as its command's time is over.
begin_check a.late 2
kill -STOP "$guard"
is_late() { reports 'had not ended after 15 s'; }
eventually is_late || fail "the status is: $("$PLYFS" status mnt)"
eventually has_gone "$program" || fail "the program goes on"
touch go
comes_to_show mnt/a.late 2

# The end waits for none, and leaves none.
begin_check a.slow 4
kill -STOP "$guard"
begun=$SECONDS
stop
((SECONDS - begun < 30)) || fail "the end took $((SECONDS - begun)) s"
eventually has_gone "$guard" || fail "the guard outlives the mount"
eventually has_gone "$program" || fail "the program outlives the mount"
