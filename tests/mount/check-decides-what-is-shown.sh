#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr python3 setpriv
need_root
cat >plyfs.yaml <<'YAML'
layers: [low, high]
rules:
  - {match: app.yaml, check: [sh, -c, 'grep -H "^port: [0-9]*$" "$1" || { echo "port is no number:"; cat "$1"; exit 3; }', sh, "%f"]}
YAML
echo 'a: 1' >low/app.yaml
echo 'port: 80' >high/app.yaml
cp high/app.yaml high/free.yaml
start -c plyfs.yaml mnt
good=$'a: 1\nport: 80'
shows mnt/app.yaml "$good"
shows mnt/free.yaml 'port: 80'
inode=$(stat -c %i mnt/app.yaml)

in_trouble() { [ -n "$(attribute mnt/app.yaml user.plyfs.error)" ]; }
mended() { ! in_trouble; }

watch mnt/app.yaml
echo 'port: eighty' | replace high/app.yaml
echo 'port: eighty' | replace high/free.yaml
# A file without a check shows the change; so the daemon has seen it.
comes_to_show mnt/free.yaml 'port: eighty'
eventually in_trouble || fail "a content that fails is no trouble"
shows mnt/app.yaml "$good"
[ "$(stat -c %i mnt/app.yaml)" = "$inode" ] || fail "the same bytes are another file"
unwatch
saw_no_events

# The error is the same everywhere.
said="app.yaml: the check 'sh' ended with 3: port is no number: | a: 1 | port: eighty"
[[ $(attribute mnt/app.yaml user.plyfs.error) == "$said"* ]] || fail "the attribute: $(attribute mnt/app.yaml user.plyfs.error)"
grep -qF "$said" log || fail "the log does not tell it"
grep -qF "$said" mnt/.plyfs/errors || fail "the errors do not tell it: $(cat mnt/.plyfs/errors)"
[ "$(status troubles 0 serves)" = last-good ]
"$PLYFS" status mnt | grep -qF "$said" || fail "the status does not tell it"
# The check's output quotes a source that not every user may read.
stranger=(setpriv --reuid=65534 --regid=65534 --clear-groups)
"${stranger[@]}" getfattr --absolute-names --only-values -n user.plyfs.error "$PWD/mnt/app.yaml" 2>/dev/null | grep -q eighty && fail "a stranger is told"
"${stranger[@]}" cat "$PWD/mnt/.plyfs/errors" 2>/dev/null | grep -q eighty && fail "a stranger is told"

# The same bytes again are not checked again, and good ones mend it.
echo 'port: 81' | replace high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nport: 81'
eventually mended || fail "the trouble stays"
[ "$(status troubles)" = '[]' ]
grep -q 'app.yaml: repaired' log || fail "the log does not report the repair"

# If a source does not parse, that is reported, and no check runs.
echo 'port: [' | replace high/app.yaml
eventually in_trouble
[[ $(attribute mnt/app.yaml user.plyfs.error) == "$PWD"/high/app.yaml:* ]] || fail "not the source's own error: $(attribute mnt/app.yaml user.plyfs.error)"
shows mnt/app.yaml $'a: 1\nport: 81'

# A file that never was good reads as an error.
mkdir low/sub
sed -i 's/app.yaml/"{app,sub\/x}.yaml"/; $a files: [{path: in-force.yaml, from: free.yaml}]' plyfs.yaml
comes_to_exist mnt/in-force.yaml
echo 'port: none' >low/sub/x.yaml
comes_to_exist mnt/sub
fails_with 'Input/output error' cat mnt/sub/x.yaml
echo 'port: 1' | replace low/sub/x.yaml
comes_to_show mnt/sub/x.yaml 'port: 1'
stop
