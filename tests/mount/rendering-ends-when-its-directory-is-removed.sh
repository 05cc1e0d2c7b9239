#!/bin/bash
# In a removed directory nothing can be made any more. The command says so and fails, so that a service manager starts
# it again. The same holds if .plyfs is removed. A directory that is moved is followed.
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
pid=
at_end 'kill $pid 2>/dev/null'
has_failed() {
	eventually has_ended $pid || fail "$1: it goes on: $(cat log)"
	! wait $pid || fail "$1: it succeeds"
	grep -q 'out: was removed, or .plyfs in it; remove what is left of it, and start plyfs again' log ||
		fail "$1: it says: $(cat log)"
}
for how in '' --atomic; do
	"$PLYFS" render --watch $how --no-header -l low out 2>log &
	pid=$!
	eventually is out/app.yaml 'a: 1' || fail "$how: it does not begin: $(cat log)"
	mv out moved
	echo 'a: 2' | replace low/app.yaml
	eventually is moved/app.yaml 'a: 2' || fail "$how: a moved tree is not followed: $(cat log)"
	mv moved out
	# plyfs may put a file back before its directory is removed.
	eventually rm -rf out 2>/dev/null
	has_failed "$how"
	[ ! -e out ] || fail "$how: it is there again"
	for what in out out/.plyfs; do
		"$PLYFS" render --watch $how --no-header -l low out 2>log &
		pid=$!
		eventually test -e out/.plyfs/status || fail "$how: it does not begin again: $(cat log)"
		find $what -mindepth 1 -delete || true
		# It may just be writing there.
		eventually rm -rf out/.plyfs 2>/dev/null
		echo "a: $what" | replace low/app.yaml
		has_failed "$how, emptied $what"
		rm -rf out
	done
	echo 'a: 1' >low/app.yaml
done
