#!/bin/bash
# A command that is due while a layer is listed that does not answer in time runs once the layer answers, as do the
# commands of all later changes.
. "$(dirname "$0")/mount.sh"
need_root

mkdir real
: >control
"$MOUNT_TOOLS/faulty" real control high &
watcher_pid=$!
echo 'a: 1' >low/app.yaml
echo 'b: 1' >real/app.yaml
eventually test -f high/app.yaml || skip "faulty can't mount here"
cat >plyfs.yaml <<END
layers: [low, high]
options: {poll_interval: 100ms, answer_timeout: 60s, on_change: [sh, -c, 'echo run >>$directory/runs; [ -e $directory/well ]']}
END
: >runs
have_run() { [ "$(wc -l <runs)" -ge "$1" ]; }

start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
ls mnt >/dev/null
# It fails, and is tried again: that is due while the layer is silent.
echo 'a: 2' | replace low/app.yaml
eventually have_run 1 || fail "the command does not run"
kill -STOP "$watcher_pid"
sleep 3
kill -CONT "$watcher_pid"
eventually have_run 2 || fail "the command is not tried again: $("$PLYFS" status mnt)"
touch well
is_well() { "$PLYFS" status mnt | grep 'on_change .*ended well' >/dev/null; }
eventually is_well || fail "the command is not tried again: $("$PLYFS" status mnt)"
before=$(wc -l <runs)
echo 'a: 3' | replace low/app.yaml
comes_to_show mnt/app.yaml $'a: 3\nb: 1'
eventually have_run $((before + 1)) || fail "the command runs no more: $("$PLYFS" status mnt)"
