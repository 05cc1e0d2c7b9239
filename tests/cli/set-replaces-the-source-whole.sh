#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
printf '{"a": 1}\n' >vendor/app.json
printf '{"a": 2}\n' >site/app.json
set_() { "$PLYFS" set -l vendor:site "$@"; }

# Mode, owner and attributes stay; no other file is left beside it.
chmod 604 site/app.json
[ "$(id -u)" != 0 ] || chown 12:34 site/app.json
kept=$(stat -c '%a %u %g' site/app.json)
has_attribute=false
if command -v setfattr >/dev/null && setfattr -n user.note -v kept site/app.json 2>/dev/null; then
	has_attribute=true
fi
runs 0 set_ app.json a 3
[ "$(stat -c '%a %u %g' site/app.json)" = "$kept" ] || fail 'mode or owner has changed'
! $has_attribute || [ "$(getfattr --only-values -n user.note site/app.json)" = kept ]
[ "$(ls -A site)" = app.json ]

# A program that has it open keeps the old content.
exec 3<site/app.json
runs 0 set_ app.json a 4
[ "$(cat <&3)" = '{"a": 3}' ]
exec 3<&-

# A link in the layer is followed if its target is in the layer.
cat >plyfs.yaml <<'END'
layers: [{name: vendor, path: vendor}, {name: site, path: site, follow: true}]
END
mv site/app.json site/real.json
ln -s real.json site/app.json
runs 0 "$PLYFS" set -c plyfs.yaml app.json a 5
[ -L site/app.json ] && [ "$(cat site/real.json)" = '{"a": 5}' ]
mv site/real.json outside.json
ln -sf ../outside.json site/app.json
runs 1 "$PLYFS" set -c plyfs.yaml app.json a 6
grep -q "outside of the layer 'site'" err
[ "$(cat outside.json)" = '{"a": 5}' ]
rm site/app.json
cp outside.json site/app.json

# If several commands run at once, no change is lost.
for writer in 1 2 3 4 5 6 7 8; do
	for number in {1..40}; do
		# On a busy machine the layer may be locked for longer than a command waits; the next try may have more luck.
		until set_ app.json "w$writer.n$number=$number" >/dev/null 2>refused$writer; do
			grep -q 'is locked by another program' refused$writer || { cat refused$writer >>lost && break; }
		done
	done &
done
wait
[ ! -e lost ] || fail "refused: $(cat lost)"
[ "$(grep -Eo '"n[0-9]+": [0-9]+' site/app.json | wc -l)" = 320 ] || fail "lost: $(cat site/app.json)"

# If another program keeps the layer locked, the message says so.
before=$(cat site/app.json)
exec 9<site
flock 9
runs 1 set_ app.json a=5
exec 9<&-
says 'is locked by another program that changes it, such as a plyfs whose check takes long; try again when that has ended'
[ "$(cat site/app.json)" = "$before" ] || fail 'a locked layer was changed'

# A full or read-only file system is left as it was, and the error says so.
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip 'no mount can be made here'
unshare -m bash -euc '
	mount -t tmpfs -o size=64k tmpfs site
	printf "{\"a\": 1}\n" >site/app.json
	head -c 60000 /dev/zero >site/fill 2>/dev/null || true
	! "$1" set -l vendor:site app.json text "$(head -c 20000 /dev/zero | tr "\\0" x)" 2>err
	grep -q "No space left on device; make room there" err
	[ "$(cat site/app.json)" = "{\"a\": 1}" ]
	[ "$(ls -A site | wc -l)" = 2 ]
	mount -o remount,ro site
	! "$1" set -l vendor:site app.json a 2 2>err
	grep -q "Read-only file system; mount it for writing" err
' bash "$PLYFS" || fail "$(cat err)"
