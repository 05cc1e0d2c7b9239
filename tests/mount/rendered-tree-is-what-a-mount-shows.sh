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
"$PLYFS" render --watch --atomic --no-header -l low:high atomic 2>atomic.log &
atomic_pid=$!
stop_render() {
	local pid
	for pid in $render_pid $atomic_pid; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" || fail "render ended with $?: $(cat render.log atomic.log)"
	done
	! dirty_log render.log && ! dirty_log atomic.log || fail 'render is not clean'
}
same() { python3 "$storm" compare mnt out >difference && python3 "$storm" compare mnt atomic/..data >difference; }
eventually same || fail "at the start: $(cat difference)"

for seed in 1 2 3 4 5 6; do
	python3 "$storm" change $seed 1.5 low high
	eventually same || fail "after the storm $seed: $(cat difference)"
done
nothing_is_staged() { [ -z "$(ls -A out/.plyfs/stage)" ] && [ -z "$(ls -A atomic/.plyfs/stage)" ]; }
eventually nothing_is_staged || fail 'something is left in the stage'
! grep "another program" render.log atomic.log || fail 'what it did itself it takes for what somebody did'

# Unchanged files are not touched, also by a second run; files that are gone meanwhile go.
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

# It is killed at any moment, and the next run ends right.
for ((i = 0; i < 20; i++)); do
	"$PLYFS" render --watch --no-header -l low:high out 2>>render.log &
	render_pid=$!
	"$PLYFS" render --watch --atomic --no-header -l low:high atomic 2>>atomic.log &
	atomic_pid=$!
	python3 "$storm" change $((100 + i)) 0.$((RANDOM % 4 + 1)) low high
	kill -KILL $render_pid $atomic_pid
	wait $render_pid $atomic_pid 2>/dev/null || true
done
# A run with --drift=keep takes nothing of that for drift, either.
"$PLYFS" render --drift=keep --no-header -l low:high out 2>err || fail "$(cat err)"
"$PLYFS" render --drift=keep --atomic --no-header -l low:high atomic 2>>err || fail "$(cat err)"
! grep "another program" err || fail 'what it did itself it takes for what somebody did'
eventually same || fail "after it was killed: $(cat difference)"
[ "$(find atomic -maxdepth 1 -name '..2*' | wc -l)" = 1 ] || fail 'an old generation stays'
