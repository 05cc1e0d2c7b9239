#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Starts plyfs merge with these arguments; standard output and error go to `out` and `err`.
watch() {
	"$PLYFS" merge --watch "$@" >out 2>err &
	watcher=$!
}

# The watcher must not outlive a test that fails.
trap 'kill $watcher 2>/dev/null || true; rm -rf "$directory" "$TMPDIR"' EXIT

# shows TEXT: that is, or will soon be, the whole output.
shows() {
	for ((i = 0; i < 5000; i++)); do
		[ "$(tr '\0' '|' <out)" != "$1" ] || return 0
		sleep 0.02
	done
	fail "it shows: $(cat out); and not: $1; it says: $(cat err)"
}

# will_say TEXT: that is soon in the error output.
will_say() {
	for ((i = 0; i < 5000; i++)); do
		! grep -qF "$1" err || return 0
		sleep 0.02
	done
	fail "it says: $(cat err); and not: $1"
}

ends() {
	kill -"$1" $watcher
	local code=0
	wait $watcher || code=$?
	[ $code -eq 0 ] || fail "SIG$1 ends it with $code: $(cat err)"
	! grep -E 'Sanitizer|runtime error' err || fail 'it is not clean'
}

echo 'a: 1' >low.yaml
echo 'b: 1' >high.yaml
watch low.yaml high.yaml
shows $'a: 1\nb: 1'
# In place, and by another file of that name.
echo 'b: 2' >high.yaml
shows $'a: 1\nb: 1\n---\na: 1\nb: 2'
echo 'a: 2' >new
mv new low.yaml
three=$'a: 1\nb: 1\n---\na: 1\nb: 2\n---\na: 2\nb: 2'
shows "$three"
# A change without an effect prints nothing: a comment; a mistake, and its end.
echo '# nothing' >>low.yaml
echo 'b: [' >high.yaml
will_say 'plyfs: high.yaml:1:4: '
# The same error is not printed again.
echo 'b: [' >high.yaml
sleep 0.3
echo 'b: 2' >high.yaml
will_say 'merges again'
rm low.yaml
will_say 'low.yaml: can'
shows "$three"
# It goes on after all that.
echo 'c: 1' >low.yaml
shows "$three"$'\n---\nc: 1\nb: 2'
[ "$(grep -c '^plyfs: ' err)" -eq 3 ] || fail "it says: $(cat err)"
# Changes that are made together are one change: it looks at nothing in between.
watchers=$(pgrep -P $watcher || true)
# shellcheck disable=SC2086
kill -STOP $watcher $watchers
is_stopped() { grep -q '^State:[[:space:]]*T' /proc/$watcher/status; }
until is_stopped; do sleep 0.02; done
python3 -c 'open("low.yaml", "w").write("a: 3\n"); open("high.yaml", "w").write("b: 3\n")'
# shellcheck disable=SC2086
kill -CONT $watcher $watchers
shows "$three"$'\n---\nc: 1\nb: 2\n---\na: 3\nb: 3'
ends TERM
echo 'c: 1' >low.yaml

# JSON needs no separator, and --null works for everything.
echo '{"a": 1}' >a.json
watch a.json
shows '{"a": 1}'
echo '{"a": 2}' >a.json
shows $'{"a": 1}\n{"a": 2}'
ends INT
watch --null -s last a.json
shows $'{"a": 2}\n|'
printf '\xff' >a.json
shows $'{"a": 2}\n|\xff|'
ends INT

# A file that comes later, by another name in the layer's place, and behind a link.
mkdir -p data1 data2 link
ln -s ../data1 link/data
ln -s data/app.yaml link/app.yaml
watch low.yaml link/app.yaml
will_say 'link/app.yaml: can'
echo 'd: 1' >data1/app.yaml
echo 'd: 2' >data2/app.yaml
shows $'c: 1\nd: 1'
ln -sfn ../data2 link/new
mv -T link/new link/data
shows $'c: 1\nd: 1\n---\nc: 1\nd: 2'
echo 'd: 3' >data2/app.yaml
shows $'c: 1\nd: 1\n---\nc: 1\nd: 2\n---\nc: 1\nd: 3'
ends TERM

# Files that a pillar refers to, and those that it does not find.
mkdir data
printf '_merge: base\nown: 1\n' >web.yaml
watch -s pillar --set data_path=data web.yaml
will_say 'base'
mkdir data/deep
echo 'x: 1' >data/deep/base.yaml
shows $'own: 1\nx: 1'
echo 'x: 2' >data/deep/base.yaml
shows $'own: 1\nx: 1\n---\nown: 1\nx: 2'
ends TERM

# If the reader closes the output, the command ends.
mkfifo pipe
"$PLYFS" merge --watch low.yaml >pipe 2>err &
watcher=$!
exec 3<pipe
read -r line <&3
[ "$line" = 'c: 1' ]
exec 3<&-
wait $watcher || fail 'it does not end well'
# Also if that is found out by a write: the result is larger than the pipe.
printf 'k%d: aaaaaaaaaaaaaaaa\n' {1..9000} >large.yaml
"$PLYFS" merge --watch large.yaml >pipe 2>err &
watcher=$!
read -r line <pipe
[ "$line" = 'k1: aaaaaaaaaaaaaaaa' ]
wait $watcher || fail "it ends with $?"
[ ! -s err ] || fail "it says: $(cat err)"

runs 2 "$PLYFS" merge --watch low.yaml -
says "can't be watched"
runs 2 "$PLYFS" merge --null low.yaml
says 'needs --watch'
runs 1 "$PLYFS" merge high.yaml nowhere.yaml
