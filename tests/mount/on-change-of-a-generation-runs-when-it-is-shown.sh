#!/bin/bash
. "$(dirname "$0")/mount.sh"

cat >plyfs.yaml <<YAML
layers: [low, high]
options:
  header: false
  on_change: [sh, -c, '{ cat "\$1"; cat $PWD/out/..data/app.yaml; } >>$PWD/told', sh, "%f"]
YAML
echo 'a: 1' >low/app.yaml
render() {
	touch began
	"$PLYFS" render --watch --atomic -c plyfs.yaml out 2>>log &
	plyfs_pid=$!
}
# Whether it watches: it has said so since it began.
is_rendered() { [ out/.plyfs/status -nt began ]; }
told() { is told "$1"; }
comes_to_tell() {
	eventually told "$1" || fail "it was told: $(cat told); and not: $1; the log: $(cat log)"
}
render
comes_to_tell $'app.yaml\na: 1'

# An obstacle for one name does not keep the command from running for others.
echo foreign >out/b.yaml
echo 'b: 1' >low/b.yaml
eventually grep -q 'b.yaml: stands in the way' log || fail "it does not stand in the way: $(cat log)"
comes_to_tell $'app.yaml\na: 1\nb.yaml\na: 1'
rm told
echo 'a: 2' | replace low/app.yaml
comes_to_show out/..data/app.yaml 'a: 2'
comes_to_tell $'app.yaml\na: 2'
rm out/b.yaml told
comes_to_show out/b.yaml 'b: 1'
kill "$plyfs_pid"
ended_cleanly

# A change that is not shown when plyfs ends is shown by the next run, which runs the command. A writer delays the
# generation, for a second. On a busy machine that may be over too early: then it is tried again.
n=2
tries=0
begin_to_write() {
	exec 9>low/writing.yaml
	echo 'w: 1' >&9
	sleep 0.2
}
end_to_write() {
	rm low/writing.yaml
	exec 9>&-
}
# was_too_late: plyfs has not waited for the writer. All of that is over when it returns.
was_too_late() {
	tries=$((tries + 1))
	[ $tries -lt 20 ] || fail "$1: $(cat told log)"
	eventually test ! -e out/..data/writing.yaml || fail "what is removed stays"
	eventually grep -q "^writing.yaml" told || fail "it is not told: $(cat told)"
	sleep 1
}
is_held_back() {
	n=$((n + 1))
	rm -f told
	render
	eventually is_rendered || fail "it does not begin: $(cat log)"
	begin_to_write
	echo "a: $n" | replace low/app.yaml
	sleep 0.3
	kill "$plyfs_pid"
	ended_cleanly
	end_to_write
	! is out/..data/app.yaml "a: $n"
}
until is_held_back; do
	render
	was_too_late 'a change is not held back'
	kill "$plyfs_pid"
	ended_cleanly
done
render
comes_to_tell $'app.yaml\na: '$n

# The command runs when drift is put right.
is_put_right() {
	rm -f told
	begin_to_write
	echo 'somebody: 1' >out/..data/app.yaml
	sleep 0.3
	end_to_write
	eventually test -s told || fail "it is not told: $(cat log)"
	sleep 0.5
	! grep -q writing.yaml told
}
until is_put_right; do
	was_too_late 'drift is not put right alone'
done
comes_to_tell $'app.yaml\na: '$n
kill "$plyfs_pid"
ended_cleanly

# The same if the first generation can't be made at once: the command does not run as long as the old one is shown.
rm told
mkdir out/.plyfs/next
: >out/.plyfs/next/foreign
n=$((n + 1))
echo "a: $n" | replace low/app.yaml
render
eventually grep -q 'Directory not empty' log || fail "nothing hinders it: $(cat log)"
sleep 0.3
[ ! -e told ] || fail "it was told before it is shown: $(cat told)"
rm out/.plyfs/next/foreign
comes_to_tell $'app.yaml\na: '$n
kill "$plyfs_pid"
ended_cleanly
