#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir -p low/d other alone
echo 'a: 1' >low/d/app.yaml
mkdir high/d
echo 'a: 2' >high/d/app.yaml
echo 'a: 3' >alone/app.yaml
start
# Without the last lines, which have the path as it was given.
told() { explain "$@" | grep -v "^change it: plyfs set $1 $2 VALUE\$" |
	grep -v "^take it back: plyfs reset -L high $1 $2\$"; }
told mnt/d/app.yaml a >wanted
told low/d/app.yaml a >out
diff wanted out || fail 'the layer file leads elsewhere'
(cd high/d && told app.yaml .a) >out
(cd high/d && told ../../mnt/d/app.yaml a) | diff - out || fail 'not from inside of the layer'
ln -s low also
"$PLYFS" blame also/d/app.yaml | grep -q '^high  d/app.yaml:1  *1) a: 2$' || fail 'not by a link'
# For a file that is in no layer the message is as before.
! explain alone/app.yaml a 2>err || fail 'a file of no layer is explained'
grep -q 'is not in a plyfs mount' err || fail "it says: $(cat err)"

# Without an argument, status lists the mounts. If there are several, the command does not guess.
# lists_as LINE [ARGUMENT]: another mount of this machine may end meanwhile, and this one may be late.
lists_as() {
	"$PLYFS" status ${2:-} >out || true
	grep -q "$1" out
}
eventually lists_as "^$PWD/mnt: 2 layers, 0 errors\$" || fail "it lists: $(cat out)"
eventually lists_as "^{\"mountpoint\": \"$PWD/mnt\", \"status\": {" --json || fail "not as JSON: $(cat out)"
mkdir second
"$PLYFS" mount low second
! explain low/d/app.yaml a 2>err || fail 'one of two mounts is guessed'
grep -q "is in layers of several mounts, $PWD/mnt and $PWD/second; give the path in one of them" err ||
	fail "it says: $(cat err)"
explain high/d/app.yaml a >/dev/null
umount second
