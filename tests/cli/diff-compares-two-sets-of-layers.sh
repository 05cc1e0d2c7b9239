#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p base/dir one two
printf '# base\na: 1\nb: 1\n' >base/app.yaml
echo same | tee base/same base/dir/same >/dev/null
echo 'a: 2' >one/app.yaml
echo gone >one/gone
printf 'b: 2\n' >two/app.yaml
mkdir two/dir
echo new >'two/dir/a b'
: >two/dir/empty
runs 0 "$PLYFS" diff --layers base:one --layers base:two
tab=$'\t'
prints "--- a/app.yaml
+++ b/app.yaml
@@ -1,2 +1,2 @@
-a: 2
-b: 1
+a: 1
+b: 2
--- /dev/null
+++ b/dir/a b$tab
@@ -0,0 +1 @@
+new
--- /dev/null
+++ b/dir/empty
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone"

# The output is a patch from one tree to the other. (patch(1) makes no empty file.)
mkdir tree
for file in app.yaml same gone; do "$PLYFS" cat -l base:one $file | grep -v '^#' >tree/$file; done
patch -s -E -d tree -p1 <out
[ ! -e tree/gone ] && [ "$(cat 'tree/dir/a b')" = new ] || fail 'the patch does not apply'
printf 'a: 1\nb: 2\n' | cmp - tree/app.yaml

# Comments that only one side has lost are no difference.
runs 0 "$PLYFS" diff -l base -l base:two app.yaml
prints '--- a/app.yaml
+++ b/app.yaml
@@ -1,2 +1,2 @@
 a: 1
-b: 1
+b: 2'
# If both sides have comments, they are compared.
mkdir other
sed 's/# base/# other/' base/app.yaml >other/app.yaml
runs 0 "$PLYFS" diff -U0 -l base -l other app.yaml
prints '--- a/app.yaml
+++ b/app.yaml
@@ -1 +1 @@
-# base
+# other'

# Only a part of the tree; also a part that only one side has.
runs 0 "$PLYFS" diff -l base:one -l base:two dir/empty gone
prints '--- /dev/null
+++ b/dir/empty
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone'
runs 0 "$PLYFS" diff -l base:one -l base:two dir
grep -qx '+new' out && ! grep -q gone out || fail 'not the files of the directory'

# A file that is a directory on the other side, and a link.
mkdir -p three/gone
echo in >three/gone/in
ln -s app.yaml three/link
runs 1 "$PLYFS" diff --exit-code -l base:one -l base:one:three gone
[ ! -s err ] || fail "it is reported: $(cat err)"
prints '--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
--- /dev/null
+++ b/gone/in
@@ -0,0 +1 @@
+in'
runs 0 "$PLYFS" diff -l base:one -l base:one:three
[ "$(tail -n 1 out)" = '+link to app.yaml' ]
runs 1 "$PLYFS" diff -l base:one -l base:two nothing
says 'nothing: no layer has such a file'

# By plyfs.yaml: the same layers, merged by other rules.
echo 'layers: [base, one]' >old.yaml
printf 'layers: [base, one]\nrules: [{match: "*.yaml", strategy: first}]\n' >new.yaml
runs 1 "$PLYFS" diff --exit-code -c old.yaml -c new.yaml
prints '--- a/app.yaml
+++ b/app.yaml
@@ -1,2 +1,3 @@
-a: 2
+# base
+a: 1
 b: 1'
runs 0 "$PLYFS" diff --exit-code -c old.yaml -l base:one
prints ''

# A name can't be taken for an option or another file.
touch one/$'x\ny' one/$'\xff"'
runs 0 "$PLYFS" diff -l base -l base:one $'x\ny' $'\xff"'
prints '--- /dev/null
+++ "b/x\012y"
--- /dev/null
+++ "b/\377\""'

# Hunks are those of diff(1): six lines between two changes make one hunk, seven make two.
mkdir from to
seq 40 >from/one
seq 40 | sed '5s/$/x/; 12d' >to/one
seq 40 >from/two
seq 40 | sed '5s/$/x/; 12a x' >to/two
seq 3 >from/three
seq 3 | sed '1d; 3s/$/x/' >to/three
for context in 0 1 3 50; do
	runs 0 "$PLYFS" diff -U$context -l from -l to
	for name in one three two; do
		echo "--- a/$name"
		echo "+++ b/$name"
		diff -U$context from/$name to/$name | tail -n +3
	done >expected || true
	cmp expected out || fail "not as diff -U$context"
done

# patch(1) can apply any change.
python3 - <<-'EOF'
	import random
	rng = random.Random(3)
	for number in range(60):
	    lines = [rng.choice("abcdefgh") for _ in range(rng.randrange(40))]
	    for folder in ("from", "to"):
	        with open(f"{folder}/random{number}", "w") as stream:
	            stream.write("".join(f"{line}\n" for line in lines) + rng.choice(("", "x")))
	        for _ in range(rng.randrange(8)):
	            at = rng.randrange(len(lines) + 1)
	            lines[at:at + rng.randrange(3)] = [rng.choice("abcdxyz")] * rng.randrange(3)
EOF
runs 0 "$PLYFS" diff -l from -l to
cp -r from made
patch -s -d made -p1 <out
diff -r made to >&2 || fail 'the patch makes something else'

# A file that does not merge is left out, and reported.
echo 'x: [' >two/app.yaml
runs 1 "$PLYFS" diff -l base:one -l base:two
grep -q '^plyfs: two/app.yaml:1:4: ' err
! grep -q app.yaml out
grep -qx -- '--- a/gone' out
runs 2 "$PLYFS" diff -l base -l one -l two
says 'only two sets'

# A path leads where the links of each set lead: to another release, a directory or one file of it, or nowhere.
mkdir -p v1/{r1,r2} v2/{r1,r2} v3/r1
for set in v1 v2; do
	echo one >$set/r1/f
	echo two >$set/r2/f
done
echo more >v2/r2/more
echo one >v3/r1/f
ln -s r1 v1/current
ln -s r2 v2/current
for path in current current/ current/f; do
	runs 1 "$PLYFS" diff --exit-code -l v1 -l v2 $path
	[ "$(head -n 5 out)" = '--- a/current/f
+++ b/current/f
@@ -1 +1 @@
-one
+two' ] || [ $path = current ] || fail "$path: $(cat out)"
	[ "$(grep -cx '+++ b/current/more' out)" = $([ $path = current/ ] && echo 1 || echo 0) ] || fail "$path: $(cat out)"
done
runs 0 "$PLYFS" diff -l v1 -l v3 current/f
prints '--- a/r1/f
+++ /dev/null
@@ -1 +0,0 @@
-one'

# A link that leads to the root.
mkdir -p root/d other/releases/2/d
echo one >root/d/f
echo two >other/releases/2/d/f
ln -s . root/current
ln -s releases/2 other/current
for path in current/ ./current/. /current//; do
	runs 1 "$PLYFS" diff --exit-code -l root -l other $path
	prints '--- a/current/current
+++ /dev/null
@@ -1 +0,0 @@
-link to .
--- a/current/d/f
+++ b/current/d/f
@@ -1 +1 @@
-one
+two'
done
