#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor/sub site
printf 'a: 1\n' | tee vendor/app.yaml >vendor/sub/x.yaml
printf 'b: 2\n' >site/app.yaml
ln -s app.yaml site/link
render() { "$PLYFS" render --no-header -l vendor:site "$@"; }
eventually() {
	for ((i = 0; i < 600; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# Each kind of drift, and its report.
edit() { chmod u+w tree/app.yaml && echo x >>tree/app.yaml && chmod 444 tree/app.yaml; }
remove() { rm tree/app.yaml; }
rights() { chmod 600 tree/app.yaml; }
other() { rm tree/app.yaml && mkdir tree/app.yaml; }
whole() { rm -r tree/sub; }
turn() { ln -sfn elsewhere tree/link; }
# The file is the same but for its time: no drift.
touched() { touch tree/app.yaml; }
say() {
	case $1 in
	edit) echo 'app.yaml: another program has changed it' ;;
	remove) echo 'app.yaml: another program has removed it' ;;
	rights) echo 'app.yaml: another program has changed its mode or owner' ;;
	other) echo 'app.yaml: another program has put something else in its place' ;;
	whole) echo 'sub: another program has removed it' ;;
	turn) echo 'link: another program has changed it' ;;
	esac
}
is_right() {
	[ "$(cat tree/app.yaml 2>/dev/null)" = $'a: 1\nb: 2' ] && [ "$(stat -c %a tree/app.yaml)" = 444 ] &&
		[ "$(cat tree/sub/x.yaml 2>/dev/null)" = 'a: 1' ] && [ "$(readlink tree/link)" = app.yaml ]
}

runs 0 render tree
for way in edit remove rights other whole turn; do
	$way
	runs 0 render --drift=keep tree
	grep -qF "$(say $way); it stays so (--drift=keep)" err || fail "$way: $(cat err)"
	! is_right || fail "$way: what was to stay was put right"
	runs 0 render tree
	grep -qF "$(say $way); it is put right" err || fail "$way: $(cat err)"
	is_right || fail "$way: it was not put right"
	runs 0 render tree
	[ ! -s err ] || fail "$way: still told: $(cat err)"
done
touched
runs 0 render --drift=keep tree
[ ! -s err ] || fail "a file that was only touched is told: $(cat err)"

# Drift that is kept stays when its layers change, and when they no longer have the file; all else goes on.
edit
printf 'b: 3\n' >site/app.yaml
printf 'a: 2\n' >vendor/sub/x.yaml
runs 0 render --drift=keep tree
grep -q '^x$' tree/app.yaml && [ "$(cat tree/sub/x.yaml)" = 'a: 2' ]
rm vendor/app.yaml site/app.yaml
runs 0 render --drift=keep tree
grep -q '^x$' tree/app.yaml
runs 0 render tree
[ ! -e tree/app.yaml ] || fail 'a file stays that no layer has'
printf 'a: 1\n' | tee vendor/app.yaml >vendor/sub/x.yaml
printf 'b: 2\n' >site/app.yaml
runs 0 render tree

# With --watch drift is put right at once. A file that has no right bytes because its source is broken stays good.
"$PLYFS" render --no-header --watch -l vendor:site tree 2>log &
pid=$!
trap 'kill $pid 2>/dev/null || true; rm -rf "$directory" "$TMPDIR"' EXIT
printf 'c: 1\n' >vendor/begun.yaml
eventually test -e tree/begun.yaml || fail 'it does not begin'
for way in edit remove rights other whole turn; do
	# In the middle of a change plyfs might mend it already: what comes then may stand in its way.
	kill -STOP $pid
	$way
	kill -CONT $pid
	eventually is_right || fail "$way: it is not put right while it runs"
	eventually grep -qF "$(say $way); it is put right" log || fail "$way: not told: $(cat log)"
done
printf '[' >site/app.yaml
sleep 0.3
kill -STOP $pid
edit
kill -CONT $pid
eventually is_right || fail 'the last good state is not put back'
printf 'b: 2\n' >site/app.yaml
kill $pid
wait $pid || fail "$?: $(cat log)"

"$PLYFS" render --no-header --watch --drift keep -l vendor:site tree 2>log &
pid=$!
rm vendor/begun.yaml
eventually test ! -e tree/begun.yaml || fail 'it does not begin'
# The file is changed in one step: the command reports each state that it meets.
cp tree/app.yaml edited
chmod u+w edited
echo x >>edited
chmod 444 edited
mv -f edited tree/app.yaml
eventually grep -qF 'app.yaml: another program has changed it; it stays so' log || fail "not told: $(cat log)"
sleep 0.3
! is_right || fail 'what was to stay was put right'
[ "$(grep -c 'stays so' log)" = 1 ] || fail "told more than once: $(cat log)"
kill $pid
wait $pid || fail "$?: $(cat log)"

# If the link to the generation was removed or changed before a run, the kept drift is not lost with it.
keep() { runs 0 "$PLYFS" render -q --no-header --atomic --drift=keep -l vendor:site kept; }
keep
chmod u+w kept/..data/app.yaml
echo admin >kept/..data/app.yaml
for where in '' nowhere; do
	rm kept/..data
	[ -z "$where" ] || ln -s $where kept/..data
	for ((i = 0; i < 2; i++)); do
		keep
		[ "$(cat kept/app.yaml kept/sub/x.yaml)" = $'admin\na: 1' ] || fail "lost with the link: $(ls kept/..data/)"
		[ "$(ls -d kept/..2* | wc -l)" -eq 1 ] || fail "old generations stay: $(ls -a kept)"
	done
done

# In a generation, too, also after the link to it was removed once.
"$PLYFS" render --no-header --watch --atomic -l vendor:site atomic 2>log &
pid=$!
eventually test -e atomic/.plyfs/status || fail "it does not begin: $(cat log)"
good=$(cat atomic/app.yaml)
for what in nothing atomic/..data; do
	rm -f $what
	eventually test -e atomic/..data || fail 'the link does not come back'
	# Until the new generation is watched, a change is not seen.
	is_mended() {
		[ "$(cat atomic/app.yaml)" != "$good" ] || return 0
		touch atomic/..data/app.yaml
		return 1
	}
	chmod u+w atomic/..data/app.yaml
	echo x >>atomic/..data/app.yaml
	eventually is_mended || fail "without $what: it is not put right: $(cat log)"
done
kill $pid
wait $pid || fail "$?: $(cat log)"

runs 2 render --drift=maybe tree
says "--drift is restore or keep, not 'maybe'"
