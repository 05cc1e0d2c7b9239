#!/bin/bash
# In a removed directory nothing can be made any more. The command says so and fails, so that a service manager starts
# it again. A directory that is moved is followed.
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
pid=
at_end 'kill $pid 2>/dev/null'
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
	eventually has_ended $pid || fail "$how: it goes on: $(cat log)"
	! wait $pid || fail "$how: it succeeds"
	grep -q 'out: was removed; start plyfs again' log || fail "$how: it says: $(cat log)"
	[ ! -e out ] || fail "$how: it is there again"
	echo 'a: 1' >low/app.yaml
done
