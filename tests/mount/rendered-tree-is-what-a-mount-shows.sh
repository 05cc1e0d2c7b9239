#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
storm=$(dirname "$test_file")/storm.py
mkdir out
for layer in low high; do
	mkdir -p $layer/d/e $layer/f
	printf 'n: 0\n%s: 1\n' $layer | tee $layer/a.yaml $layer/d/a.yaml >$layer/d/e/b.yaml
done
start
"$PLYFS" render --watch --no-header -l low:high out 2>render.log &
render_pid=$!
stop_render() {
	kill "$render_pid" 2>/dev/null || true
	wait "$render_pid" || fail "render ended with $?: $(cat render.log)"
	! dirty_log render.log || fail 'render is not clean'
}
trap 'code=$?; set +e; kill "$render_pid" 2>/dev/null; (exit $code); clean_up' EXIT
same() { python3 "$storm" compare mnt out >difference; }
eventually same || fail "at the start: $(cat difference)"

for seed in 1 2 3 4 5 6; do
	python3 "$storm" change $seed 1.5 low high
	eventually same || fail "after the storm $seed: $(cat difference)"
done
[ -z "$(ls -A out/.plyfs/stage)" ] || fail 'something is left in the stage'

# What has not changed is not touched, by a second run either; what is gone meanwhile goes.
stop_render
echo 'kept: 1' >low/kept.yaml
"$PLYFS" render --no-header -l low:high out
before=$(stat -c '%i %z' out/kept.yaml)
echo 'gone: 1' >low/gone.yaml
"$PLYFS" render --no-header -l low:high out
[ -e out/gone.yaml ]
rm low/gone.yaml
"$PLYFS" render --no-header -l low:high out
[ ! -e out/gone.yaml ] || fail 'a file stays that no layer has'
[ "$(stat -c '%i %z' out/kept.yaml)" = "$before" ] || fail 'a file that did not change was touched'

# Killed at any moment, it ends right.
for ((i = 0; i < 20; i++)); do
	"$PLYFS" render --watch --no-header -l low:high out 2>>render.log &
	render_pid=$!
	python3 "$storm" change $((100 + i)) 0.$((RANDOM % 4 + 1)) low high
	kill -KILL $render_pid
	wait $render_pid 2>/dev/null || true
done
"$PLYFS" render --no-header -l low:high out 2>err || fail "$(cat err)"
eventually same || fail "after it was killed: $(cat difference)"
