#!/bin/bash
. "$(dirname "$0")/cli.sh"

# The lower layer refers to a file that only the higher one has.
mkdir -p low/hosts high/data
printf '_merge: base\nown: 1\n' >low/hosts/web.yaml
echo 'common: 1' >high/data/base.yaml
cat >plyfs.yaml <<-'EOF'
	layers: [low, high]
	rules: [{match: "hosts/*", strategy: pillar, options: {data_path: data}}]
EOF
runs 0 "$PLYFS" diff -c plyfs.yaml hosts/web.yaml
prints '--- without low, high
+++ with low, high (low/hosts/web.yaml)
@@ -0,0 +1,2 @@
+own: 1
+common: 1'
says "without high it does not merge: low/hosts/web.yaml:1:9: "

# If a layer changes a referenced file, it changes the merged file, though it does not have it.
mkdir -p low/data
echo 'common: 0' >low/data/base.yaml
runs 0 "$PLYFS" diff -c plyfs.yaml hosts/web.yaml
prints '--- without low
+++ with low (low/hosts/web.yaml)
@@ -0,0 +1,2 @@
+own: 1
+common: 0
--- without high
+++ with high
@@ -1,2 +1,2 @@
 own: 1
-common: 0
+common: 1'
[ ! -s err ]
