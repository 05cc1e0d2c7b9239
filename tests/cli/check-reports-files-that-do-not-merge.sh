#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p low/dir high
echo 'a: 1' | tee low/app.yaml low/dir/b.yaml >/dev/null
echo 'a: 2' >high/app.yaml
echo text >low/motd
ln -s motd low/link
runs 0 "$PLYFS" check -l low:high
prints '4 files: all merge'
[ ! -s err ]
runs 0 "$PLYFS" check -q -l low:high
prints ''

# All errors are reported, not only the first, with their lines; also if only one layer has the file.
printf 'a: 1\nb: [1, }\n' >high/app.yaml
printf 'a: 1\n\tb: 1\n' >low/dir/b.yaml
runs 1 "$PLYFS" check -l low:high
prints '4 files: 2 do not merge'
[ "$(sed -E '/^plyfs/s/^(plyfs: [^ ]*: ).*/\1.../' err)" = 'plyfs: high/app.yaml:2:8: ...
    b: [1, }
           ^
plyfs: low/dir/b.yaml:2:1: ...
     b: 1
    ^' ] || fail "it says: $(cat err)"
printf 'a: {\n' >low/app.yaml
runs 1 "$PLYFS" check -l low:high app.yaml
prints '1 file: 1 does not merge, 2 errors'
grep -q '^plyfs: high/app.yaml:2:8: ' err && grep -q '^plyfs: low/app.yaml:1:4: ' err

# Only the named paths are checked.
runs 1 "$PLYFS" check -l low:high dir
prints '1 file: 1 does not merge'
! grep -q app.yaml err
runs 0 "$PLYFS" check -l low:high motd dir/../link
prints '2 files: all merge'
runs 1 "$PLYFS" check -q -l low:high .
prints ''
[ -s err ]
runs 1 "$PLYFS" check -l low:high nothing
says 'nothing: no layer has such a file'
runs 1 "$PLYFS" check -l low:nowhere
says "'nowhere' does not exist"
runs 2 "$PLYFS" check
says 'no layers are given; give -c or -l, or a path in a mount'
runs 2 "$PLYFS" check low
says "'low' is not in a plyfs mount"
runs 2 "$PLYFS" check -c plyfs.yaml -l low
says 'give one'

# Errors of the merge, and of the options.
printf 'l: [{id: 1}, {id: 1}]\n' >high/app.yaml
echo 'l: []' >low/app.yaml
cat >plyfs.yaml <<-'EOF'
	layers: [low, high]
	rules: [{match: "app.yaml", strategy: deep, options: {lists: {l: {by: id, twice: error}}}}]
EOF
runs 1 "$PLYFS" check -c plyfs.yaml app.yaml
grep -q '^plyfs: high/app.yaml:1:' err

# Many errors are counted, so that the output stays readable.
mkdir many
(cd many && seq 1100 | xargs touch)
runs 0 "$PLYFS" check -l many
prints '1,100 files: all merge'
