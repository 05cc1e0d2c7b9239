#!/bin/bash
. "$(dirname "$0")/cli.sh"

need python3
mkdir -p vendor/sub site elsewhere
printf 'a: 1\n' | tee vendor/app.yaml >vendor/sub/x.yaml
printf 'b: 2\n' >site/app.yaml
ln -s app.yaml site/link
printf 'layers: [vendor, site]\n' >plyfs.yaml
has() { python3 -c 'import json, sys; status = json.load(open("out")); sys.exit(0 if eval(sys.argv[1]) else print(status) or 1)' "$1"; }

for how in '' --atomic; do
	tree=tree$how
	runs 0 "$PLYFS" render $how -c plyfs.yaml $tree

	# By any path in it, and from anywhere.
	for path in $tree $tree/sub "$PWD/$tree/sub/x.yaml"; do
		runs 0 "$PLYFS" status "$path"
		grep -qF "$PWD/$tree: rendered by plyfs" out && grep -q ', which has ended$' out
	done
	grep -q '^  settings    .*plyfs.yaml$' out && grep -q '^ *site .*/site$' out
	grep -qE '^  rendered    20.*Z, 3 files' out && grep -q '^  drift       none$' out
	runs 0 "$PLYFS" status --json $tree
	has 'status["rendered"]["files"] == 3 and status["drift"] == [] and status["running"] is False'
	has "status['rendered']['atomic'] is $([ "$how" ] && echo True || echo False)"
	(
		cd elsewhere
		runs 0 "$PLYFS" explain ../$tree/app.yaml b
		grep -q "site/app.yaml:1:4" out
		runs 0 "$PLYFS" blame ../$tree/sub/x.yaml
		runs 0 "$PLYFS" diff ../$tree/app.yaml
		grep -q '^+b: 2$' out
		runs 0 "$PLYFS" diff --exit-code ../$tree
		[ ! -s out ]
	)

	# Drift, compared with the written bytes: with the header, which is part of them.
	chmod u+w $tree/app.yaml
	sed -i --follow-symlinks 's/b: 2/b: 7/' $tree/app.yaml
	runs 0 "$PLYFS" status $tree
	grep -q 'drift       1; ' out && grep -q '^    app.yaml: another program has changed it$' out
	runs 1 "$PLYFS" diff --exit-code $tree
	grep -q '^--- app.yaml (as it was written)$' out && [ "$(grep -c '^[-+]' out)" = 4 ]
	grep -q '^-b: 2$' out && grep -q '^+b: 7$' out
	runs 0 "$PLYFS" diff $tree
	(cd elsewhere && runs 1 "$PLYFS" diff --exit-code "../$tree" && [ "$(grep -c '^[-+]' out)" = 4 ])
	rm -f $tree/sub/x.yaml
	runs 0 "$PLYFS" status --json $tree/sub
	has '[(item["path"], item["kind"]) for item in status["drift"]] == [("app.yaml", "edited"), ("sub/x.yaml", "removed")]'
	# The tree's layers may have changed since.
	printf 'b: 3\n' >site/app.yaml
	runs 1 "$PLYFS" diff --exit-code $tree
	grep -q '^--- app.yaml (as its layers are by now; they have changed since it was written)$' out
	printf 'b: 2\n' >site/app.yaml
	runs 0 "$PLYFS" render $how -c plyfs.yaml $tree
	runs 0 "$PLYFS" diff --exit-code $tree

	# While plyfs render runs, with its errors.
	"$PLYFS" render --watch $how -c plyfs.yaml $tree 2>log &
	pid=$!
	trap 'kill $pid 2>/dev/null || true; rm -rf "$directory" "$TMPDIR"' EXIT
	printf 'b: [\n' >site/app.yaml
	told() { "$PLYFS" status $tree >out && grep -q "process $pid$" out && grep -q 'site/app.yaml:1:4' out; }
	for ((i = 0; i < 600; i++)); do told && break || sleep 0.1; done
	[ $i -lt 600 ] || fail "a trouble is not told: $(cat out)"
	printf 'b: 2\n' >site/app.yaml
	echo mine >$tree/foreign
	echo 'f: 1' >site/foreign
	told() { "$PLYFS" status $tree >out && grep -q "foreign: stands in the way" out && ! grep -q 'site/app.yaml:2' out; }
	for ((i = 0; i < 600; i++)); do told || [ "$how" ] && break || sleep 0.1; done
	[ $i -lt 600 ] || fail "what is in the way is not told: $(cat out)"
	rm $tree/foreign site/foreign
	kill $pid
	wait $pid || fail "$(cat log)"
done

# A directory that a link has replaced, while the layers are as they were.
"$PLYFS" render -q -l vendor replaced
rm -r replaced/sub
ln -s /etc replaced/sub
runs 0 "$PLYFS" diff replaced
grep -qxF -- '--- sub (as it was written)' out

# The tree of another version of plyfs.
echo 'plyfs render 9' >replaced/.plyfs/manifest
for command in status diff; do
	runs 1 "$PLYFS" $command replaced
	says "replaced: has a manifest that this plyfs can't read; remove the directory"
done

# A tree that another user has made is not trusted. A FIFO in the place of its status hangs no command.
mkdir -p fake/.plyfs
cp tree/.plyfs/manifest tree/.plyfs/status fake/.plyfs
[ "$(id -u)" -ne 0 ] || {
	chown -R 12345 fake
	runs 1 "$PLYFS" status fake
	says 'fake: is in a tree that another user has rendered; run this command as that user'
	runs 3 "$PLYFS" status --exit-code fake
	# One of ours that lies in another user's is found.
	cp -a tree fake/ours
	runs 0 "$PLYFS" status fake/ours/app.yaml
	grep -qF "$PWD/fake/ours: rendered by plyfs" out
	chown -R 0 fake
	rm -r fake/ours
}
# Another user can't even see the manifest.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	cp -L "$PLYFS" plyfs
	chmod 755 . plyfs
	for command in status explain diff; do
		runs 1 setpriv --reuid 65534 --regid 65534 --clear-groups ./plyfs $command tree/app.yaml
		says 'tree/app.yaml: is in a tree that another user has rendered; run this command as that user'
	done
	runs 1 setpriv --reuid 65534 --regid 65534 --clear-groups ./plyfs render -l vendor tree
	says 'tree: has a .plyfs of another user; run plyfs as that user'
	# A tree of that user, into which root has rendered.
	mkdir theirs
	chown 65534 theirs
	setpriv --reuid 65534 --regid 65534 --clear-groups ./plyfs render -q -l vendor theirs
	"$PLYFS" render -q -l vendor theirs
	runs 1 setpriv --reuid 65534 --regid 65534 --clear-groups ./plyfs status theirs
	says 'theirs: is in a tree that another user has rendered; run this command as that user'
	rm -r theirs
fi
rm fake/.plyfs/status
mkfifo fake/.plyfs/status
runs 1 timeout 10 "$PLYFS" status fake
echo '{' >tree/.plyfs/status
runs 1 "$PLYFS" status tree
runs 1 "$PLYFS" status --json tree
echo 'no manifest' >tree/.plyfs/manifest
runs 1 "$PLYFS" diff tree

# A tree within a layer is no source of itself.
mkdir around
echo 'a: 1' >around/a.yaml
runs 0 "$PLYFS" render --no-header -l around around/out
[ "$(cd around && find . -not -path './out/.plyfs*' | sort | xargs)" = '. ./a.yaml ./out ./out/a.yaml' ]

# The paths of the layers begin in one column, also if a name is not ASCII.
mkdir größe
runs 0 "$PLYFS" render -l vendor:größe aligned
runs 0 "$PLYFS" status aligned
grep -q "^  layers      vendor  $PWD/vendor$" out && grep -q "^              größe   $PWD/größe$" out ||
	fail "it says: $(cat out)"

# A mirror may write anything into its report: the status has only what it knows of it, and can be read.
mkdir -p state/tree.1
ln -s "$PWD/state/tree.1" fleet
deep=$(printf '[%.0s' {1..125})$(printf ']%.0s' {1..125})
echo "{\"files\": 1e999, \"sandbox\": {\"landlock\": \"on\", \"landlock_abi\": 5, \"seccomp\": $deep, \"motd\": $deep}}" >state/status.json
runs 0 "$PLYFS" render -l vendor:fleet mirrored
runs 0 "$PLYFS" status --json mirrored
grep -qF '"sandbox": {"landlock": "on", "landlock_abi": 5}, ' out || fail "it says: $(cat out)"
python3 -m json.tool out >/dev/null || fail "it is no JSON: $(cat out)"
