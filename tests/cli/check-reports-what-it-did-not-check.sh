#!/bin/bash
. "$(dirname "$0")/cli.sh"

need python3
chmod 711 .
mkdir low high presets
export PLYFS_PRESETS=$PWD/presets
has() { python3 -c 'import json, sys; found = json.load(open("out")); sys.exit(0 if eval(sys.argv[1]) else print(found) or 1)' "$1"; }

# A preset's check is optional: if its program is not installed, its files are shown all the same.
cat >presets/prog.yaml <<'YAML'
rules:
  - {match: "*.yaml", check: {run: [no-such-program, "%f"], optional: true}}
  - {match: "*.yml", check: {run: [sh, -c, 'exec no-such-tool check "$1"', sh, "%f"], optional: true}}
YAML
printf 'layers: [low, high]\npresets: [prog]\n' >plyfs.yaml
echo 'a: 1' | tee low/one.yaml low/two.yaml >low/three.yml
echo 'b: 1' >high/one.yaml
runs 0 "$PLYFS" check -c plyfs.yaml
grep -q '^plyfs: warning: 2 files not checked: no-such-program is not installed' err || fail "$(cat err)"
grep -q '^plyfs: warning: 1 file not checked: no-such-tool is not installed' err || fail "$(cat err)"
prints '3 files: all merge, 2 warnings'
runs 1 "$PLYFS" check --strict -c plyfs.yaml
runs 1 "$PLYFS" check --strict -q -c plyfs.yaml
grep -q 'not checked' err
runs 0 "$PLYFS" check --json -c plyfs.yaml
has 'found["not_checked"][0] == {"program": "no-such-program", "reason": "is not installed", "files": 2, "paths": ["one.yaml", "two.yaml"]}'
has '[item["kind"] for item in found["findings"]] == ["warning", "warning"]'
runs 1 "$PLYFS" check --json --strict -c plyfs.yaml
printf 'web1\nweb2\n' >hosts
runs 0 "$PLYFS" check --hosts hosts -c plyfs.yaml
grep -q '^plyfs: warning: 2 files not checked: no-such-program is not installed' err || fail "$(cat err)"
# A program that is there may lack a library, as ld.so(8) says.
printf '#!/bin/sh\necho "$0: error while loading shared libraries: libgone.so.4: cannot open shared object file: No such file or directory" >&2\nexit 127\n' >lacking
chmod 755 lacking
printf 'layers: [low]\nrules: [{match: one.yaml, check: {run: [%s, "%%f"], optional: true}}]\n' "$PWD/lacking" >lacking.yaml
runs 0 "$PLYFS" check -c lacking.yaml
grep -q '^plyfs: warning: 1 file not checked: libgone.so.4 is not installed' err || fail "$(cat err)"

# Writing is not refused for that reason, but says so.
runs 0 "$PLYFS" set -c plyfs.yaml one.yaml b 2
grep -qx 'plyfs: one.yaml: not checked: no-such-program is not installed; install it, or check where it is' err || fail "$(cat err)"
runs 0 "$PLYFS" set --json -n -c plyfs.yaml one.yaml b 3
has 'found["changes"][0]["not_checked"] == "no-such-program is not installed"'
runs 0 "$PLYFS" unset -n -c plyfs.yaml one.yaml b
grep -q 'one.yaml: not checked' err
runs 0 "$PLYFS" render -c plyfs.yaml out.d
grep -qx 'plyfs: 2 files not checked: no-such-program is not installed; install it, or check where it is' err || fail "$(cat err)"
runs 0 "$PLYFS" render --json -c plyfs.yaml out.d
has 'sorted((item["program"], item["reason"], item["files"]) for item in found["not_checked"]) == [
	("no-such-program", "is not installed", 2), ("no-such-tool", "is not installed", 1)]'
runs 0 "$PLYFS" render -q -c plyfs.yaml out.d
prints ''
# A program names the one that it did not find in quotes of its language.
sed -i 's/exec no-such-tool check/exec env no-such-tool check/' presets/prog.yaml
runs 0 "$PLYFS" check -c plyfs.yaml
grep -q '^plyfs: warning: 1 file not checked: no-such-tool is not installed' err || fail "$(cat err)"

# A check that is not optional has failed: no file is shown that it has not judged.
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: one.yaml, check: [no-such-program, "%f"]}
  - {match: two.yaml, check: [sh, -c, 'no-such-program "\$1"', sh, "%f"]}
  - {match: three.yml, check: {run: [$PWD/closed, "%f"], optional: true}}
YAML
echo '#!/bin/sh' >closed
chmod 644 closed
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "^plyfs: one.yaml: the check 'no-such-program' can't be run: .*; install it, or correct plyfs.yaml" err || fail "$(cat err)"
grep -q "^plyfs: two.yaml: the check 'no-such-program' ended with 127: " err || fail "$(cat err)"
grep -q '^plyfs: warning: 2 files not checked: no-such-program is not installed' err || fail "$(cat err)"
# A program that is there but can't be executed is reported as well.
grep -q "^plyfs: warning: 1 file not checked: closed can't be executed; give its user the right to run it" err || fail "$(cat err)"
runs 1 "$PLYFS" set -c plyfs.yaml one.yaml b 3
says "one.yaml: nothing is written, as the check 'no-such-program' can't be run"
runs 1 "$PLYFS" check --json -c plyfs.yaml
has '[(item["program"], item["reason"], item["files"]) for item in found["not_checked"]] == [
	("no-such-program", "is not installed", 2), ("closed", "can'"'"'t be executed", 1)]'

# A missing schema is an error of plyfs.yaml.
printf 'layers: [low]\nrules: [{match: "*.yaml", schema: none.json}]\n' >plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q 'none.json' err || fail "$(cat err)"
# Only a check may be optional.
printf 'layers: [low]\nrules: [{match: "*.yaml", on_change: {run: [a], optional: true}}]\n' >plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "plyfs.yaml:2:49: unknown key 'optional'" err || fail "$(cat err)"
