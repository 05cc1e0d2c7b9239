#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir elsewhere
echo 'port: 80' >low/app.yaml
echo 'port: 8080' >high/app.yaml

# Named layers, and paths relative to where the mount was started. The command runs elsewhere.
printf 'layers: [{name: vendor, path: low}, {name: host, path: "./high"}]\n' >plyfs.yaml
start -c plyfs.yaml mnt
(
	cd elsewhere
	explain ../mnt/app.yaml port >../text
)
grep -q "^port: 8080  *host  *$directory/./high/app.yaml:1:7" text
grep -q "^  lost  80  *vendor  *$directory/./low/app.yaml:1:7\|^  lost  80  *vendor  *$directory/low/app.yaml:1:7" text

# Where the mount was started, they have the same names.
explain mnt/app.yaml port | grep -q "^  lost  80  *vendor  $directory/low/app.yaml:1:7"
fails_with 'no layer has such a file' "$PLYFS" explain mnt/nothing
fails_with 'is a directory' "$PLYFS" explain mnt
cp low/app.yaml elsewhere/app.yaml
code=0
explain elsewhere/app.yaml 2>err || code=$?
[ $code -eq 2 ]
grep -q "'elsewhere/app.yaml' is not in a plyfs mount" err
# A file in a layer leads to the mount.
explain low/app.yaml port | grep -q '^port: 8080  *host'

# If the settings have changed since, the command guesses nothing.
printf 'layers: [{name: other, path: low}, {name: more, path: high}, low]\nrules: 1\n' >plyfs.yaml
fails_with 'plyfs.yaml:2:8: ' "$PLYFS" explain mnt/app.yaml
stop

# A mount over one of its layers: the command reaches the covered layer through the daemon.
exec 5<low # the layer itself
start low:high low
shows low/app.yaml 'port: 8080'
explain low/app.yaml >text
grep -q "^  lost  80  *low  *$directory/low/app.yaml:1:7" text
# Given by its name, the covered layer is the mount itself, which can't be mounted for writing.
fails_with 'a mount of plyfs is changed in its layers: plyfs set MOUNTPOINT/PATH' "$PLYFS" set -l high:low app.yaml port 1
(
	cd elsewhere
	explain ../low/app.yaml | grep -q "^  lost  80  *low  *$directory/low/app.yaml:1:7"
)
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 .
	fails_with 'lies under the mount itself' setpriv --reuid=12345 --regid=12345 --clear-groups \
		"$PLYFS" explain "$directory/low/app.yaml"
fi
# It is live, as any other layer is.
echo 'a: 1' >/proc/self/fd/5/new.yaml
exec 5<&-
comes_to_show low/new.yaml 'a: 1'
echo 'a: 2' >high/new.yaml
comes_to_show low/new.yaml 'a: 2'
rm high/new.yaml
stop low
shows low/app.yaml 'port: 80'
rm low/new.yaml

# A colon in a layer's path is not a separator.
mkdir 'co:lon'
echo 'port: 1' >'co:lon/app.yaml'
start 'co\:lon:high' mnt
(
	cd elsewhere
	explain ../mnt/app.yaml | grep -qF "$directory/co:lon/app.yaml:1:7"
)
stop

# A layer that is named by dots has one name in the mount and in commands, from wherever they are called.
echo 'port: 7' >app.yaml
mkdir -p sub
for layer in . ./ sub/..; do
	start "low:$layer" mnt
	explain mnt/app.yaml port | grep -q '^port: 7  *layer ' || fail "$layer: not explained where the mount was started"
	(cd elsewhere && explain ../mnt/app.yaml port | grep -q '^port: 7  *layer ') || fail "$layer: not explained elsewhere"
	"$PLYFS" set -n mnt/app.yaml port 8 | grep -q '^+port: 8'
	"$PLYFS" ls -l mnt | grep -q 'low:layer  app.yaml'
	stop
	"$PLYFS" explain -l "low:$layer" app.yaml port | grep -q '^port: 7  *layer '
done
rm app.yaml

# As another host, with a mount's plyfs.yaml. A mount of layers alone is the same on each host.
mkdir -p hosts/web1
echo 'port: 81' >hosts/web1/app.yaml
printf 'layers: [low, {path: "hosts/%%H", optional: true}]\noptions: {header: false}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml 'port: 80'
(
	cd elsewhere
	[ "$("$PLYFS" cat -H web1 ../mnt/app.yaml)" = 'port: 81' ]
	explain -H web1 ../mnt/app.yaml | grep -qF "$directory/hosts/web1/app.yaml:1:7"
	"$PLYFS" diff -H web1 ../mnt/app.yaml | grep -qx '+port: 81'
	[ "$("$PLYFS" check -H web1 ../mnt)" = '1 file: all merge' ]
	printf 'web1\nweb2\n' >list
	for path in ../mnt ../mnt/app.yaml ../low/app.yaml; do
		"$PLYFS" check --hosts list $path >../text 2>&1 || fail "$(cat ../text)"
		[ "$(cat ../text)" = '2 hosts, 2 files: all merge' ] || fail "$(cat ../text)"
	done
	# A path that some hosts lack, and one that all lack.
	echo 'x: 1' >../hosts/web1/only.yaml
	[ "$("$PLYFS" check --hosts list ../mnt/only.yaml)" = '2 hosts, 1 file: all merge' ]
	fails_with '../mnt/none.yaml: no layer has such a file' "$PLYFS" check --hosts list ../mnt/none.yaml
)
stop
start low:high mnt
fails_with 'it is the same on every host' "$PLYFS" cat -H web1 mnt/app.yaml
