#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
chmod 711 .
exits() {
	local wanted=$1 code=0
	shift
	"$@" >/dev/null 2>&1 || code=$?
	[ $code -eq "$wanted" ] || fail "'$*' exits with $code, not $wanted"
}
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: "*.yaml", check: {run: [no-such-program, "%f"], optional: true}}
  - {match: "*.yml", check: [sh, -c, 'no-such-program "\$1"', sh, "%f"]}
  - {match: "*.conf", check: {run: [$PWD/tool, "%f"], optional: true}}
YAML
echo 'a: 1' | tee low/one.yaml low/two.yaml low/three.yml >low/four.conf
start -c plyfs.yaml mnt

# A file counts once a program has read it; until then the status says that it does not know.
"$PLYFS" status mnt >text
grep -qx '  errors      0' text || fail "$(cat text)"
grep -q "nothing so far; .*'plyfs check $PWD/mnt' reads all" text || fail "$(cat text)"
exits 0 "$PLYFS" status --exit-code mnt

shows mnt/one.yaml 'a: 1'
shows mnt/two.yaml 'a: 1'
fails_with 'Input/output error' cat mnt/three.yml
# The publisher takes in a verdict: a moment after the waiting reader was answered.
is_told() {
	"$PLYFS" status mnt >text
	grep -qx '  checks      3 files not checked: no-such-program is not installed' text && grep -qx '  errors      2' text
}
eventually is_told || fail "$(cat text)"
[ "$(sed -n 2p text)" = '  errors      2' ] || fail "errors do not come first: $(cat text)"
grep -q 'A file does not pass its check:' text || fail "$(cat text)"
[ "$(status not_checked 0 program)" = no-such-program ]
[ "$(status not_checked 0 files)" = 3 ]
[ "$(status not_checked 0 shown)" = 2 ]
exits 1 "$PLYFS" status --exit-code mnt
exits 1 "$PLYFS" status --exit-code --json mnt
exits 3 "$PLYFS" status --exit-code low
exits 0 "$PLYFS" status mnt

# A file that goes no longer counts, nor does one that gets another check.
rm low/two.yaml
comes_to_vanish mnt/two.yaml
counted() { [ "$(status not_checked 0 files)" = "$1" ]; }
eventually counted 2 || fail "$(cat mnt/.plyfs/status)"
sed -i '/"\*.yml"/d' plyfs.yaml
comes_to_show mnt/three.yml 'a: 1'
eventually counted 1 || fail "$(cat mnt/.plyfs/status)"

# The file is judged as soon as the program is installed and the file changes.
shows mnt/four.conf 'a: 1'
printf '#!/bin/sh\n! grep bad "$1"\n' >tool
chmod 755 tool
echo 'a: bad' | replace low/four.conf
in_trouble() { [ "$(status trouble_count)" = 1 ]; }
eventually in_trouble || fail "$(cat mnt/.plyfs/status)"
shows mnt/four.conf 'a: 1'
stop
