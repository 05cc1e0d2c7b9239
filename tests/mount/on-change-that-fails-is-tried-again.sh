#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3 pgrep
cat >plyfs.yaml <<YAML
layers: [low, high]
options:
  on_change: {run: [sh, -c, 'cat "\$1" >>$PWD/told; echo run >>$PWD/told; if [ -e $PWD/hang ]; then sleep 600.$$; fi; if [ -e $PWD/broken ]; then echo no such unit; exit 5; fi', sh, "%f"], timeout: 20s}
YAML
echo 'a: 1' >low/a.yaml
echo 'b: 1' >low/b.yaml
start -c plyfs.yaml mnt
shows mnt/a.yaml 'a: 1'
shows mnt/b.yaml 'b: 1'
touch broken
echo 'a: 2' | replace low/a.yaml
runs() { [ -e told ] && [ "$(grep -c run told)" -ge "$1" ]; }
eventually runs 1 || fail "it was not run"
# It fails, is reported, and is tried again.
eventually grep -q "on_change 'sh' ended with 5: no such unit" log || fail "the log does not tell it"
failed() { [ "$(status on_change 0 good)" = False ] && [ "$(status on_change 0 error)" = "on_change 'sh' ended with 5: no such unit" ]; }
eventually failed || fail "$(cat mnt/.plyfs/status)"
# Except for the moments in which it runs.
in_errors() { grep -q "on_change 'sh' ended with 5: no such unit (at .*; is tried again)" mnt/.plyfs/errors; }
eventually in_errors || fail "$(cat mnt/.plyfs/errors)"
in_status() { "$PLYFS" status mnt | grep "on_change *sh: failed .* ago, and is tried again: on_change 'sh' ended with 5" >/dev/null; }
eventually in_status || fail "$("$PLYFS" status mnt)"
# The failure is an error in the status, like a broken source; so are settings that can't be used.
counted() { "$PLYFS" status | grep -qx "$PWD/mnt: 2 layers, $1"; }
eventually counted '1 error' || fail "$("$PLYFS" status)"
has_one_error() { "$PLYFS" status mnt | grep '^  errors  *1$' >/dev/null; }
eventually has_one_error || fail "$("$PLYFS" status mnt)"
cp plyfs.yaml good.yaml
echo 'layers: [' >plyfs.yaml
eventually counted '2 errors' || fail "$("$PLYFS" status)"
replace plyfs.yaml <good.yaml
eventually counted '1 error' || fail "$("$PLYFS" status)"
eventually runs 3 || fail "it is not tried again: $(cat told)"
[ "$(sort -u told)" = $'a.yaml\nrun' ] || fail "it was told: $(cat told)"
# Changes that come meanwhile are passed to it as well.
echo 'b: 2' | replace low/b.yaml
comes_to_show mnt/b.yaml 'b: 2'
# Not while it runs for a.yaml alone, which would end well.
eventually grep -q b.yaml told || fail "b.yaml is not passed to it: $(cat told)"
rm broken
good() { [ "$(status on_change 0 good)" = True ]; }
eventually good || fail "it does not mend"
[ "$(tail -n 3 told)" = $'a.yaml\nb.yaml\nrun' ] || fail "what is told at last: $(tail -n 3 told)"
[ ! -s mnt/.plyfs/errors ]
eventually counted '0 errors' || fail "$("$PLYFS" status)"
count=$(grep -c run told)
sleep 2.5
[ "$(grep -c run told)" -eq "$count" ] || fail "it is run without a reason"

# A command that hangs is killed. Changes while it runs cause one more run.
rm told
touch hang
echo 'a: 3' | replace low/a.yaml
eventually runs 1
for i in 4 5 6 7; do
	echo "a: $i" | replace low/a.yaml
	echo "b: $i" | replace low/b.yaml
	comes_to_show mnt/b.yaml "b: $i"
done
[ "$(grep -c run told)" -eq 1 ] || fail "the command was killed too early: $(cat log)"
rm hang
eventually runs 2 || fail "a hung command is not tried again"
grep -q "on_change 'sh' had not ended after 20 s, and was killed" log
eventually good
sleep 0.5
[ "$(grep -c run told)" -eq 2 ] || fail "not one run more: $(cat told)"
[ "$(tail -n 3 told)" = $'a.yaml\nb.yaml\nrun' ] || fail "what is told at last: $(cat told)"
is_killed() { ! pgrep -f "^sleep 600.$$\$" >/dev/null; }
eventually is_killed || fail "what it has started still runs"

# The mount's end does not wait for it, also if a busy machine is slow.
touch hang
ends_at_once() {
	local before
	echo 'a: 9' | replace low/a.yaml
	eventually pgrep -f "^sleep 600.$$\$" >/dev/null || fail "it is not run"
	unmount mnt
	before=$SECONDS
	ended_cleanly
	((SECONDS - before < 3))
}
tries=1
until ends_at_once; do
	tries=$((tries + 1))
	[ $tries -lt 8 ] || fail "the end waits for a command"
	echo 'a: 8' | replace low/a.yaml
	start -c plyfs.yaml mnt
	shows mnt/a.yaml 'a: 8'
done
