#!/bin/bash
# A process is killed after it has logged the next generation, in which a file takes the place of a
# directory, and before that generation is shown. It has begun a new log, as it is not the one that
# made the shown generation. The next process knows that the directory is plyfs' own.
. "$(dirname "$0")/mount.sh"

need strace
mkdir -p low/x high
echo 'a: 1' | tee low/x/a.yaml >low/b.yaml
"$PLYFS" render --atomic --no-header -l low:high out 2>/dev/null
"$PLYFS" render --watch --atomic --no-header -l low:high out 2>render.log &
render_pid=$!
eventually grep -q "\"pid\": $render_pid" out/.plyfs/status || fail "it does not watch: $(cat render.log)"
# LeakSanitizer does not work in a process that is traced.
strace -qq -o calls -e trace=renameat2 -e inject=renameat2:signal=KILL:when=1 -p "$render_pid" &
strace_pid=$!
is_traced() { ! grep -q '^TracerPid:[[:space:]]*0$' "/proc/$render_pid/status"; }
eventually is_traced || fail 'strace does not begin'
echo 'a: 2' >new
mv new high/x
eventually has_ended "$render_pid" || fail 'it does not switch to the next generation'
wait "$render_pid" 2>/dev/null || true
wait "$strace_pid" || true
[ -d out/x ] || fail 'the next generation is shown, so this test shows nothing'
"$PLYFS" render --atomic --drift=keep --no-header -l low:high out 2>err || fail "it fails: $(cat err)"
! grep 'another program' err || fail 'it takes its own directory for what another program did'
[ "$(cat out/x)" = 'a: 2' ] || fail "out/x is $(cat out/x)"
