#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site host
printf '# of the vendor\nserver:\n  port: 80\n  hosts: [a]\nlog: warn\n' >vendor/app.yaml
printf 'server:\n  port: 8080\n' >site/app.yaml
printf 'log: !delete\n' >host/app.yaml
runs 0 "$PLYFS" diff -l vendor:site:host app.yaml
prints '--- without vendor
+++ with vendor (vendor/app.yaml)
@@ -0,0 +1,4 @@
+server:
+  port: 80
+  hosts: [a]
+log: warn
--- without site
+++ with site (site/app.yaml)
@@ -1,4 +1,4 @@
 server:
-  port: 80
+  port: 8080
   hosts: [a]
 log: warn
--- without host
+++ with host (host/app.yaml)
@@ -1,4 +1,3 @@
 server:
   port: 8080
   hosts: [a]
-log: warn'
[ ! -s err ]

# The diffs, one after the other, make the file that a mount shows.
: >made
patch -s made out
"$PLYFS" cat -l vendor:site:host app.yaml | grep -v '^#' | cmp - made

# A file of one layer is shown as it is.
runs 0 "$PLYFS" diff -l vendor app.yaml
prints '--- without vendor
+++ with vendor (vendor/app.yaml)
@@ -0,0 +1,5 @@
+# of the vendor
+server:
+  port: 80
+  hosts: [a]
+log: warn'

# Whole files, a whiteout, and a layer that changes nothing.
echo one >vendor/motd
echo one >site/motd
touch host/.wh.motd
runs 0 "$PLYFS" diff -l vendor:site:host motd
prints '--- without vendor
+++ with vendor (vendor/motd)
@@ -0,0 +1 @@
+one
--- without host
+++ with host
@@ -1 +0,0 @@
-one'

# A link is shown as its target; a missing newline at the end is marked; NUL bytes are not shown.
ln -s motd vendor/link
runs 0 "$PLYFS" diff -l vendor link
prints '--- without vendor
+++ with vendor (vendor/link)
@@ -0,0 +1 @@
+link to motd'
printf x >vendor/bare
runs 0 "$PLYFS" diff -l vendor:site bare
grep -qxF '\ No newline at end of file' out
printf '\0' >vendor/bytes
runs 0 "$PLYFS" diff -l vendor bytes
prints 'Binary files without vendor and with vendor (vendor/bytes) differ'

# By plyfs.yaml, with its names and options; the header is no difference.
cat >plyfs.yaml <<-'EOF'
	layers: [{name: low, path: vendor}, {name: high, path: site}]
	options: {header: true}
EOF
runs 0 "$PLYFS" diff -U0 -c plyfs.yaml app.yaml
prints '--- without low
+++ with low (vendor/app.yaml)
@@ -0,0 +1,4 @@
+server:
+  port: 80
+  hosts: [a]
+log: warn
--- without high
+++ with high (site/app.yaml)
@@ -2 +2 @@
-  port: 80
+  port: 8080'

# A directory that a higher layer's file hides counts as no file.
mkdir -p base/kind
echo 1 | tee vendor/kind >site/kind
runs 0 "$PLYFS" diff -l base:vendor:site kind
prints '--- without vendor
+++ with vendor (vendor/kind)
@@ -0,0 +1 @@
+1'

# --exit-code gives the exit codes of diff(1).
runs 1 "$PLYFS" diff --exit-code -l vendor motd
runs 1 "$PLYFS" diff --exit-code -l vendor:site motd

runs 1 "$PLYFS" diff -l vendor:site nothing
says 'nothing: no layer has such a file'
runs 1 "$PLYFS" diff -l vendor:site .
says 'is a directory'
echo 'server: [' >site/app.yaml
runs 1 "$PLYFS" diff -l vendor:site app.yaml
grep -q '^plyfs: site/app.yaml:1:9: ' err
runs 2 "$PLYFS" diff -l vendor
says 'a path is missing'
runs 2 "$PLYFS" diff -l vendor app.yaml motd
says 'motd'
runs 2 "$PLYFS" diff -U many -l vendor motd
says 'number of lines'
runs 2 "$PLYFS" diff --color=red -l vendor motd
says 'always, auto, never'
