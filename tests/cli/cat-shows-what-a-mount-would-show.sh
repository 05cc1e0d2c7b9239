#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p low/dir high/dir
echo 'a: 1' | tee low/app.yaml low/dir/app.yaml >/dev/null
echo 'b: 1' | tee high/app.yaml high/dir/app.yaml >/dev/null
echo text >high/motd
ln -s dir/app.yaml low/link
ln -s dir low/there
ln -s ../there/app.yaml low/dir/back
ln -s loop low/loop
ln -s /etc/passwd low/outside
ln -s ../../up low/up
header='# Merged by plyfs (deep); edit the sources: '
runs 0 "$PLYFS" cat -l low:high app.yaml
prints "${header}$PWD/low/app.yaml, $PWD/high/app.yaml"$'\na: 1\nb: 1'
for path in dir/app.yaml /dir/app.yaml ./dir//app.yaml dir/../dir/app.yaml link there/app.yaml dir/back; do
	runs 0 "$PLYFS" cat -l low:high "$path"
	prints "${header}$PWD/low/dir/app.yaml, $PWD/high/dir/app.yaml"$'\na: 1\nb: 1'
done
runs 0 "$PLYFS" cat -l low:high motd app.yaml
prints $'text\n'"${header}$PWD/low/app.yaml, $PWD/high/app.yaml"$'\na: 1\nb: 1'
printf 'layers: [high, low]\noptions: {header: false}\n' >plyfs.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
prints $'b: 1\na: 1'

runs 1 "$PLYFS" cat -l low:high nothing
says 'nothing: '
runs 1 "$PLYFS" cat -l low:high dir
says 'is a directory'
runs 1 "$PLYFS" cat -l low:high motd/x
says 'motd/x: '
runs 1 "$PLYFS" cat -l low:high loop
says 'loop: '
runs 1 "$PLYFS" cat -l low:high outside
says '/etc/passwd'
runs 1 "$PLYFS" cat -l low:high up
says "up: is a link out of the tree, by '..'; read its target"
runs 1 "$PLYFS" cat -l low:high ../x
says "../x: leads out of the tree by '..'; give a path in it"
runs 1 "$PLYFS" cat -l low:high dir/../../x
says "dir/../../x: leads out of the tree"
runs 1 "$PLYFS" set -l low:high dir/../../x a 1
says "dir/../../x: leads out of the tree"
runs 1 "$PLYFS" cat -l low:nowhere app.yaml
says "'$PWD/nowhere' does not exist"
echo 'b: [' >high/app.yaml
runs 1 "$PLYFS" cat -l low:high app.yaml
[[ $(cat err) == "plyfs: $PWD/high/app.yaml:1:4: "*$'\n    b: [\n       ^' ]] || fail "it says: $(cat err)"

# The message has the source's line; also for a plyfs.yaml that can't be used.
printf 'b: 1\nc: ]\n' >high/app.yaml
runs 1 "$PLYFS" cat -l low:high app.yaml
[[ $(cat err) == "plyfs: $PWD/high/app.yaml:2:4: "*$'\n    c: ]\n       ^' ]] || fail "it says: $(cat err)"
printf 'layers: [high, low]\noptions: {heder: true}\n' >plyfs.yaml
runs 1 "$PLYFS" cat -c plyfs.yaml app.yaml
[[ $(cat err) == "plyfs: $PWD/plyfs.yaml:2:11: "*"did you mean 'header'"*$'\n    options: {heder: true}\n              ^' ]] ||
	fail "it says: $(cat err)"

# Sources that are left out are reported, beside the file.
printf 'layers: [low, high]\noptions: {header: false, on_error: skip-layer}\n' >plyfs.yaml
printf 'a: 1\n' >low/app.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
prints 'a: 1'
says "$PWD/high/app.yaml:2:4: "
# If all are broken, no command shows the last one as if it were merged.
printf 'a: [\n' >low/app.yaml
for command in cat explain 'explain --json' blame; do
	runs 1 "$PLYFS" $command -c plyfs.yaml app.yaml
	prints ''
	grep -q "high/app.yaml" err || fail "$command says: $(cat err)"
done

# A working directory that was removed matters to relative paths only.
top=$PWD
mkdir gone lone && echo 'a: 1' >lone/x.yaml && cd gone && rmdir ../gone
runs_gone() { "$PLYFS" "$@" >"$top/out" 2>"$top/err"; }
runs_gone cat -l "$top/lone" x.yaml || fail "cat: $(cat "$top/err")"
[ "$(cat "$top/out")" = 'a: 1' ]
runs_gone render -l "$top/lone" "$top/made" || fail "render: $(cat "$top/err")"
[ "$(cat "$top/made/x.yaml")" = 'a: 1' ]
! runs_gone cat -l lone x.yaml || fail 'a relative layer is found'
grep -qF "the layer directory '/proc/self/cwd (deleted)/lone' does not exist" "$top/err"
cd "$top"
