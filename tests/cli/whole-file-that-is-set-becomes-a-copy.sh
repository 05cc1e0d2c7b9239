#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
printf '# ours\nport: 80\nhost: a\n' >vendor/app.yaml
printf '{"a": 1}\n' >vendor/app.json
cat >plyfs.yaml <<'E_'
layers: [vendor, site]
rules: [{match: "app.*", strategy: last}]
options: {header: false}
E_
set_() { runs 0 "$PLYFS" set -c plyfs.yaml "$@"; }
copy='a copy of the whole file, because this file is not merged: later changes of vendor/app'

set_ -n app.yaml port 90
says "site/app.yaml: would be $copy.yaml will not show"
[ ! -e site/app.yaml ] || fail 'a dry run writes'
set_ app.yaml port 90
prints 'site/app.yaml:2: port: 80 -> 90 (overrides vendor/app.yaml:2)'
says "site/app.yaml: is $copy.yaml will not show"
set_ app.json b 2
prints 'site/app.json:1: b: 2 (new)'
says "site/app.json: is $copy.json will not show"

# The note is printed once.
set_ app.yaml port 91
prints 'site/app.yaml:2: port: 90 -> 91'
! grep 'a copy of' err || fail 'it is a copy already'

# If the editor breaks the file again and again, and there is no terminal, the command ends.
cat >editor <<'E_'
#!/bin/sh
echo run >>runs
echo '}' >>"$1"
E_
chmod +x editor
mkdir tmp
printf 'rules: [{match: "app.*"}]\nlayers: [vendor, site]\n' >deep.yaml
TMPDIR=$PWD/tmp EDITOR=$PWD/editor runs 1 timeout 20 "$PLYFS" edit -c deep.yaml app.json </dev/null
grep -q 'app.json:.*' err
grep -q 'the typed text is kept in' err || fail "$(cat err)"
[ "$(wc -l <runs)" -le 2 ] || fail "the editor ran $(wc -l <runs) times"

# JSON names the layer that the copy overrides.
rm -rf site/*
runs 0 "$PLYFS" set --json -n -c plyfs.yaml app.yaml port 81
grep -q '"overrides": {"layer": "vendor", "file": "vendor/app.yaml", "line": 2}' out || fail "$(cat out)"
