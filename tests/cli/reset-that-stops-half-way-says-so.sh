#!/bin/bash
. "$(dirname "$0")/cli.sh"
# The check of a file judges what a reset leaves of it. If a reset of several sources fails at the second, the message
# says that the first is changed already.

tells() { grep -qF -- "$1" err || fail "it says: $(cat err); and not: $1"; }
mkdir vendor
echo 'port: 80' >vendor/app.yaml
cat >plyfs.yaml <<'END'
layers: [vendor, site]
rules:
  - match: app.yaml
    dropins: layers
    check: [sh, -c, '[ -s "$1" ] && ! grep -q "port: 80" "$1"', sh, '%f']
END
write() {
	mkdir -p site/app.yaml.d
	echo 'port: 90' >site/app.yaml
	echo 'port: 91' >site/app.yaml.d/10.yaml
}

# The lower source is all that would be left, and is refused.
write
rm site/app.yaml.d/10.yaml
runs 1 "$PLYFS" reset -c plyfs.yaml app.yaml port
tells "nothing is written, as the check 'sh' ended with 1"
! grep -q 'already' err || fail "$(cat err)"
[ "$(cat site/app.yaml)" = 'port: 90' ] || fail 'the source is changed'

# The check accepts the first step, and not the second.
write
runs 1 "$PLYFS" reset -c plyfs.yaml app.yaml port
tells "app.yaml: this step is not written, as the check 'sh' ended with 1"
tells 'app.yaml: the command has stopped half way: 1 change is made already, and the rest is as it was; mend the cause, and run it again'
! grep -q 'nothing is' err || fail "$(cat err)"
prints 'site/app.yaml.d/10.yaml: port: 91 -> 90 (shows site/app.yaml:1)
site/app.yaml.d/10.yaml: removed'
[ "$(find site -type f)" = site/app.yaml ] || fail "there is: $(find site)"

# With --json, too.
write
runs 1 "$PLYFS" reset --json -c plyfs.yaml app.yaml port
tells 'half way'
[ "$(grep -c '"change": "removed"' out)" = 1 ] || fail "$(cat out)"

# A whole file that can't be removed.
write
if [ "$(id -u)" = 0 ] && chattr +i site/app.yaml.d 2>/dev/null; then
	trap 'chattr -i "$directory"/site/app.yaml.d; rm -rf "$directory" "$TMPDIR"' EXIT
	runs 1 "$PLYFS" reset -c plyfs.yaml app.yaml
	tells 'half way: 1 change is made already'
fi
