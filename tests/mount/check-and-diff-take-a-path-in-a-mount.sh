#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir
echo 'a: 1' | tee low/app.yaml low/dir/b.yaml >/dev/null
echo 'a: 2' >high/app.yaml
start
"$PLYFS" diff mnt/app.yaml >out
cat >expected <<-EOF
	--- without low
	+++ with low ($PWD/low/app.yaml)
	@@ -0,0 +1 @@
	+a: 1
	--- without high
	+++ with high ($PWD/high/app.yaml)
	@@ -1 +1 @@
	-a: 1
	+a: 2
EOF
diff expected out >&2 || fail 'not what the layers change'
[ "$("$PLYFS" check mnt)" = '2 files: all merge' ]
(cd mnt/dir && [ "$("$PLYFS" check .)" = '1 file: all merge' ]) || fail 'not the files of the directory'
[ "$(cd mnt && "$PLYFS" check app.yaml)" = '1 file: all merge' ]

# The mount still shows the last good version; the commands read the layers as they are.
echo 'a: [' >high/app.yaml
code=0
"$PLYFS" check mnt >out 2>err || code=$?
[ $code -eq 1 ] && grep -q "^plyfs: $PWD/high/app.yaml:1:4: " err || fail "exits with $code: $(cat err)"
[ "$(cat out)" = '2 files: 1 does not merge' ]
code=0
"$PLYFS" diff mnt/app.yaml >out 2>err || code=$?
[ $code -eq 1 ] && grep -q "^plyfs: $PWD/high/app.yaml:1:4: " err || fail "exits with $code: $(cat err)"

# Not in a mount.
code=0
"$PLYFS" check low 2>err || code=$?
[ $code -eq 2 ] && grep -q 'is not in a plyfs mount' err || fail "exits with $code: $(cat err)"
