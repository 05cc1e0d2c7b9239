#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir low high
printf 'a: 1\na: 1\n' >low/app.yaml
echo 'a: [' >low/$'b\n\033[31m\xff".yaml'
touch high/.wh.gone
runs 1 "$PLYFS" check --json -l low:high
[ ! -s err ]
! grep -q $'\033' out || fail 'an escape sequence reaches the terminal'
cat >expected.py <<-'EOF'
	import json
	told = json.load(open("out"))
	assert (told["files"], told["failed"], told["errors"], told["warnings"]) == (2, 1, 1, 2), told
	twice, broken, whiteout = told["findings"]
	assert twice["kind"] == "warning" and twice["path"] == "app.yaml", twice
	assert (twice["source"], twice["line"], twice["column"]) == ("low/app.yaml", 2, 1), twice
	assert "comes again" in twice["message"], twice
	assert broken["kind"] == "error" and broken["path"] == "b\n\x1b[31m\ufffd\".yaml", broken
	assert (broken["line"], broken["column"]) == (1, 4), broken
	assert whiteout["path"] is None and whiteout["source"] == "high/.wh.gone", whiteout
	assert (whiteout["line"], whiteout["column"]) == (0, 0), whiteout
EOF
python3 expected.py

# Standard error has no text, either.
runs 1 "$PLYFS" check -l low:high
! grep -q $'\033' err || fail 'an escape sequence reaches the terminal'
rm low/b* high/.wh.gone low/app.yaml
runs 0 "$PLYFS" check --json -l low:high
prints '{
  "findings": [],
  "files": 0,
  "failed": 0,
  "errors": 0,
  "warnings": 0
}'

# With skip-layer, a file merges without its broken source: an error, but no file that does not merge.
printf 'layers: [low, high]\noptions: {on_error: skip-layer}\n' >plyfs.yaml
echo 'a: 1' >low/app.yaml
echo '[' >high/app.yaml
runs 1 "$PLYFS" check --json -c plyfs.yaml
[ "$(tail -n 5 out)" = '  "files": 1,
  "failed": 0,
  "errors": 1,
  "warnings": 0
}' ] || fail "$(cat out)"
runs 1 "$PLYFS" check -c plyfs.yaml
prints '1 file: all merge, 1 error'
echo '[' >low/app.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q '^1 file: 1 does not merge' out || fail "$(cat out)"
# Each source that was left out is an error, whether another is left or not.
echo 'b: ]' >high/app.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
[ "$(grep -c 'app.yaml:[0-9]*:' err)" = 2 ] || fail "$(cat err)"
prints '1 file: 1 does not merge, 2 errors'
mkdir mid
echo 'a: 1' >mid/app.yaml
sed -i 's/low,/low, mid,/' plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
[ "$(grep -c 'app.yaml:[0-9]*:' err)" = 2 ] || fail "$(cat err)"
prints '1 file: all merge, 2 errors'
