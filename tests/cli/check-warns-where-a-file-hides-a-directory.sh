#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p low/app low/tls high/log.yaml high/d "low/sub/x.d" high/sub
echo 'a: 1' | tee low/app/one.yaml low/tls/key.yaml low/log.yaml high/log.yaml/two.yaml low/sub/x.d/y.yaml >/dev/null
echo 'b: 1' | tee high/app high/tls high/sub/x.d low/plain.yaml high/plain.yaml >/dev/null
# A whiteout shows that hiding is intended, and links are put in the place of anything, unless values would be merged.
touch high/.wh.tls
ln -s app high/linked
mkdir low/linked
echo x >low/text
echo 'a: 1' | tee low/way.yaml >low/marked.yaml
ln -s plain.yaml high/way.yaml
ln -s plain.yaml high/marked.yaml
touch high/.wh.marked.yaml
ln -s app high/text
runs 0 "$PLYFS" check -l low:high
cat >expected <<'END'
plyfs: high/app: warning: a file here hides a directory in low/app; if that is meant, put a whiteout, .wh.app, beside it
plyfs: high/log.yaml: warning: a directory here hides a file in low/log.yaml; if that is meant, put a whiteout, .wh.log.yaml, beside it
plyfs: high/sub/x.d: warning: a file here hides a directory in low/sub/x.d; if that is meant, put a whiteout, .wh.x.d, beside it
plyfs: high/way.yaml: warning: a symbolic link here hides a file in low/way.yaml; give the layer 'follow: true' to merge its target, or if that is meant, put a whiteout, .wh.way.yaml, beside it
END
diff expected err >&2 || fail 'not these warnings'
runs 1 "$PLYFS" check --strict -l low:high
runs 0 "$PLYFS" check -l low:high sub
diff <(grep high/sub expected) err >&2 || fail 'not this warning'
touch high/.wh.app high/.wh.log.yaml high/.wh.way.yaml high/sub/.wh.x.d
runs 0 "$PLYFS" check --strict -l low:high
[ ! -s err ] || fail "$(cat err)"
