#!/bin/bash
. "$(dirname "$0")/cli.sh"

chmod 711 .
mkdir low high
cat >plyfs.yaml <<'YAML'
layers: [low, high]
rules:
  - {match: "app.yaml", check: [sh, -c, 'grep -q "^port: [0-9]*$" "$1" || { echo "port is no number"; exit 1; }', sh, "%f"]}
  - {match: "raw.txt", check: [grep, -q, fine, "%f"]}
YAML
echo 'a: 1' >low/app.yaml
echo 'port: 80' >high/app.yaml
echo 'fine' >low/raw.txt
runs 0 "$PLYFS" check -q -c plyfs.yaml

# With any umask, the files of root's checks are in a directory of root's.
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016
	sed 's/grep -q .*; }/[ "${1#\/run\/plyfs\/}" != "$1" ]/' plyfs.yaml >where.yaml
	runs 0 unshare -m sh -c 'mount -t tmpfs none /run && umask 077 && exec "$@"' sh "$PLYFS" check -c where.yaml app.yaml
	rm where.yaml
fi

# set and edit write nothing that the check refuses.
runs 0 "$PLYFS" set -c plyfs.yaml app.yaml port 81
grep -qx 'port: 81' high/app.yaml
runs 1 "$PLYFS" set -c plyfs.yaml app.yaml port http
says "app.yaml: nothing is written, as the check 'sh' ended with 1: port is no number"
grep -qx 'port: 81' high/app.yaml || fail "it was written: $(cat high/app.yaml)"
TMPDIR=$PWD EDITOR="sed -i s/81/x/" VISUAL= runs 1 "$PLYFS" edit -c plyfs.yaml app.yaml </dev/null
grep -q "the check 'sh' ended with 1: port is no number" err || fail "edit says: $(cat err)"
grep -qx 'port: 81' high/app.yaml || fail "it was written: $(cat high/app.yaml)"

# Nor does reset, which says so, whatever it tried before.
refused_reset() { # KEY LOW HIGH
	echo "$2" >low/reset.yaml
	echo "$3" >high/reset.yaml
	runs 1 "$PLYFS" reset -c reset.yaml reset.yaml "$1"
	says "reset.yaml: nothing is written, as the check 'sh' ended with 1: BAD"
}
cat >reset.yaml <<-'YAML'
	layers: [low, high]
	rules:
	  - {match: reset.yaml, options: {lists: {l: {by: name}}}, check: [sh, -c, "echo BAD; exit 1", sh, "%f"]}
YAML
refused_reset a '' $'---\n# c\n\na: 1'
refused_reset a '' $'%YAML 1.2\n---\n# c\n\na: 1'
refused_reset a 'a: 1' $'b: 1\na: !delete'
refused_reset 'l[0].v' 'l: [{name: x, v: 1}]' $'l:\n- name: &a x\n  v: 2\nz: *a'
rm low/reset.yaml high/reset.yaml

# check runs it for every file that has one, and reports the result.
echo 'port: http' >high/app.yaml
echo 'bad' >low/raw.txt
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "app.yaml: the check 'sh' ended with 1: port is no number" out err || fail "check says: $(cat out err)"
grep -q "raw.txt: the check 'grep' ended with 1 and said nothing; run it by hand" out err || fail "check says: $(cat out err)"
runs 1 "$PLYFS" check -c plyfs.yaml raw.txt
# No other command runs it.
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
grep -qx 'port: http' out

# A rendered tree has only files that pass, and keeps those that were good.
runs 1 "$PLYFS" render -c plyfs.yaml tree
[ ! -e tree/app.yaml ] || fail "what was refused is rendered"
grep -q "app.yaml: the check 'sh' ended with 1: port is no number" err || fail "render says: $(cat err)"
echo 'port: 80' >high/app.yaml
echo 'fine' >low/raw.txt
runs 0 "$PLYFS" render --no-header -c plyfs.yaml tree
[ "$(cat tree/app.yaml)" = $'a: 1\nport: 80' ]
echo 'port: http' >high/app.yaml
runs 1 "$PLYFS" render --no-header -c plyfs.yaml tree
[ "$(cat tree/app.yaml)" = $'a: 1\nport: 80' ] || fail "what was good is gone: $(cat tree/app.yaml)"

# The same with --watch: reported once, and nothing is lost.
mkdir watched
"$PLYFS" render --watch --no-header -c plyfs.yaml watched 2>watch.err &
watching=$!
trap 'kill $watching 2>/dev/null || true; rm -rf "$directory" "$TMPDIR"' EXIT
eventually() {
	local end=$((SECONDS + 60))
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "never: $*"
		sleep 0.05
	done
}
eventually test -e watched/raw.txt
sleep 1.5
[ ! -e watched/app.yaml ] || fail "what was refused is rendered"
[ "$(grep -c app.yaml watch.err)" -le 2 ] || fail "it is told again and again: $(cat watch.err)"
echo 'port: 80' >high/app.yaml
eventually grep -qsx 'port: 80' watched/app.yaml
echo 'port: http' >high/app.yaml
eventually grep -q 'app.yaml: the check .*is served' watch.err
[ "$(cat watched/app.yaml)" = $'a: 1\nport: 80' ] || fail "what was good is gone: $(cat watched/app.yaml)"
kill $watching
wait $watching || true

# A command counts only in a file that no other user can have written. Without a command, any user may write the file.
chmod 666 plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "^plyfs: plyfs.yaml:3:33: plyfs runs commands and writes a state only for a plyfs.yaml that only root" err || fail "it says: $(cat err)"
grep -q "plyfs.yaml has the mode 0666: chmod go-w it" err || fail "it says: $(cat err)"
sed -i 's/, check: .*/}/' plyfs.yaml
chmod 666 plyfs.yaml
runs 0 "$PLYFS" check -q -c plyfs.yaml

# on_change of a rendered tree runs once for all changed files, and not if nothing has changed.
cat >plyfs.yaml <<YAML
layers: [low, high]
options: {on_change: [sh, -c, 'cat "\$1" >>$PWD/told; [ ! -e $PWD/broken ]', sh, "%f"]}
YAML
chmod 644 plyfs.yaml
echo 'port: 82' >high/app.yaml
runs 0 "$PLYFS" render --no-header -c plyfs.yaml tree
[ "$(cat told)" = app.yaml ] || fail "told: $(cat told)"
runs 0 "$PLYFS" render --no-header -c plyfs.yaml tree
[ "$(cat told)" = app.yaml ] || fail "told again: $(cat told)"
rm told low/raw.txt
echo 'n: 1' >low/new.yaml
touch broken
runs 1 "$PLYFS" render --no-header -c plyfs.yaml tree
says "on_change 'sh' ended with 1 and said nothing; run it by hand"
[ "$(cat told)" = $'new.yaml\nraw.txt' ] || fail "told: $(cat told)"

# A name may hold a line break.
rm told broken
echo 'z: 1' >$'low/a\nb\\c'
runs 0 "$PLYFS" render --no-header -c plyfs.yaml tree
[ "$(cat told)" = 'a\nb\\c' ] || fail "told: $(cat told)"

# It runs however soon after the change the rendering ends.
rm told
mkdir low/soon
for ((i = 0; i < 20; i++)); do
	echo $i >low/soon/$i
	runs 0 "$PLYFS" render -q --no-header -c plyfs.yaml tree
	[ "$(cat told)" = soon/$i ] || fail "told: $(cat told)"
	rm told
done

# A change by another program that is put right is one, too.
spoil() { chmod u+w tree/app.yaml && echo x >>tree/app.yaml; }
for way in spoil 'rm tree/app.yaml'; do
	$way
	runs 0 "$PLYFS" render --no-header -c plyfs.yaml tree
	[ "$(cat told)" = app.yaml ] || fail "$way: told: $(cat told)"
	rm told
done
