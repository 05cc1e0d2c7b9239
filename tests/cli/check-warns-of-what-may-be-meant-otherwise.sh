#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p low/conf.d low/hosts low/data/a low/data/b high
printf 'a: 1\nb: !apend [1]\na: 2\nc: !Ref x\n' >low/app.yaml
touch high/.wh.gone
printf 'x: 1\n_merge: base\n' >low/hosts/web.yaml
echo 'y: 1' | tee low/data/a/base.yaml low/data/b/base.yaml >/dev/null
cat >plyfs.yaml <<-'EOF'
	layers:
	  - low
	  - high
	  - {name: host, path: nowhere, optional: true}
	rules:
	  - {match: "hosts/*.yaml", strategy: pillar, options: {data_path: data}}
	  - {match: "hosts/web.*", strategy: last}
	  - {match: "etc/**", strategy: last}
	files:
	  - {path: all.yaml, from: [app.yaml, "conf.d/*.yaml"], strategy: deep}
	  - {path: none.yaml, from: ["none.d/*"], strategy: deep}
EOF
runs 0 "$PLYFS" check -c plyfs.yaml
prints '5 files: all merge, 8 warnings'
cat >expected <<-'EOF'
	plyfs: low/app.yaml:2:4: warning: the tag !apend is left as it is; did you mean !append?
	plyfs: low/app.yaml:3:1: warning: the key a comes again, first in line 1; only the last one counts
	plyfs: plyfs.yaml:10:12: warning: the pattern 'conf.d/*.yaml' of the virtual file 'all.yaml' matches no file; correct it
	plyfs: high/.wh.gone: warning: the whiteout hides nothing: no lower layer has 'gone'; correct its name, or remove it if no host needs it
	plyfs: low/hosts/web.yaml:2:9: warning: 'base.yaml' is in 2 places under 'data': 'data/a/base.yaml' is taken, and not 'data/b/base.yaml'
	plyfs: plyfs.yaml:11:12: warning: the pattern 'none.d/*' of the virtual file 'none.yaml' matches no file; correct it
	plyfs: plyfs.yaml:7: warning: the rule for 'hosts/web.*' has no effect: the files that it matches have a rule above it, or are virtual; move it up, or remove it
	plyfs: plyfs.yaml:8: warning: the rule for 'etc/**' matches no file; correct or remove it
EOF
diff expected err >&2 || fail 'not these warnings'

# --strict makes failures of them; --quiet leaves them out, unless they are failures.
runs 1 "$PLYFS" check --strict -c plyfs.yaml
diff expected err >&2
runs 0 "$PLYFS" check -q -c plyfs.yaml
[ ! -s err ] && [ ! -s out ]
runs 1 "$PLYFS" check -qW -c plyfs.yaml
diff expected err >&2
[ ! -s out ]

# A part of the tree gets the warnings that a part allows.
runs 0 "$PLYFS" check -c plyfs.yaml hosts
prints '1 file: all merge, 1 warning'
says "'base.yaml' is in 2 places"

# Only so many warnings are printed as a person reads, and the number of the others.
for i in $(seq 1000); do echo 'a: 1'; done >low/many.yaml
runs 0 "$PLYFS" check -l low:high many.yaml
[ "$(wc -l <err)" -eq 51 ] || fail "$(wc -l <err) lines"
tail -1 err | grep -qx 'plyfs: many.yaml: warning: 949 more warnings are not shown'

# A key that comes three times is not said to count in two lines.
printf 'a: 1\na: 2\na: 3\n' >low/thrice.yaml
runs 0 "$PLYFS" check -l low:high thrice.yaml
cat >expected <<-'EOF'
	plyfs: low/thrice.yaml:2:1: warning: the key a comes again, first in line 1; only the last one counts
	plyfs: low/thrice.yaml:3:1: warning: the key a comes again, first in line 1; only the last one counts
EOF
diff expected err >&2 || fail 'not these warnings'
rm low/thrice.yaml

# To systemd, a line that ends with a backslash goes on.
printf '# a \\\nA=1\nB="x \\\n y"\nC=2 \\\n' >low/app.env
runs 0 "$PLYFS" check -l low:high app.env
prints '1 file: all merge, 1 warning'
says 'low/app.env:3:1: warning: the line ends with a backslash: systemd goes on with the next line'
rm low/app.env

# A bare and a quoted key of one text are two keys, where the bare one is no text; a reader of YAML 1.2 may see one.
printf 'on:\n  push: {80: a}\n' >low/ci.yaml
printf '"on":\n  pull: {}\non:\n  push: {"80": b, 1.5: c, true: d}\n' >high/ci.yaml
runs 0 "$PLYFS" check -l low:high ci.yaml
cat >expected <<-'EOF'
	plyfs: high/ci.yaml:1:1: warning: the key 'on' is a string here, and a boolean in low/ci.yaml:1, so both stay; write both alike, or set 'yaml: "1.2"' if the program reads YAML 1.2
	plyfs: high/ci.yaml:4:10: warning: the key '80' is a string here, and a number in low/ci.yaml:2, so both stay; write both alike
EOF
diff expected err >&2 || fail 'not these warnings'
printf 'on: 1\n"on": 2\n' >low/alone.yaml
runs 0 "$PLYFS" check -l low:high alone.yaml
says "low/alone.yaml:2:1: warning: the key 'on' is a string here, and a boolean in low/alone.yaml:1"
printf 'layers: [low, high]\noptions: {yaml: "1.2"}\nrules: [{match: "*.yaml", strategy: deep}]\n' >plyfs.yaml
runs 0 "$PLYFS" check -c plyfs.yaml ci.yaml
prints '1 file: all merge, 2 warnings'
grep -q "high/ci.yaml:4:10: warning: the key '80' is a string here" err || fail "$(cat err)"
rm low/ci.yaml high/ci.yaml low/alone.yaml

# No file, no warning.
rm low/many.yaml low/app.yaml high/.wh.gone low/data/b/base.yaml
echo 'a: !append [1]' >low/app.yaml
echo 'b: 1' >low/conf.d/b.yaml
printf 'layers: [low, high]\nfiles: [{path: all.yaml, from: ["conf.d/*"], strategy: deep}]\n' >plyfs.yaml
runs 0 "$PLYFS" check -W -c plyfs.yaml
prints '5 files: all merge'

# A pattern that matches files is not said to match none: the files are masked, or the virtual file has no place.
rm -rf low high
mkdir -p low/vd high/vd low/two
echo 'a: 1' | tee low/vd/1.yaml low/vd/2.yaml low/two/3.yaml >/dev/null
echo 'a: 1' | tee low/sub >low/flat
ln -s vd high/link
: >high/vd/1.yaml
ln -s /dev/null high/vd/2.yaml
cat >plyfs.yaml <<-'EOF'
	layers: [low, high]
	files:
	  - {path: sub/x.yaml, from: "vd/1.yaml"}
	  - {path: link/to/x.yaml, from: ["vd/1.yaml", "none/*"]}
	  - {path: new/x.yaml, from: "vd/1.yaml"}
	  - {path: masked.yaml, from: ["vd/*.yaml", "none/*"], dropins: uapi}
	  - {path: part.yaml, from: ["vd/*.yaml", "two/*"], dropins: uapi}
EOF
runs 1 "$PLYFS" check -c plyfs.yaml
cat >expected <<-'EOF'
	plyfs: plyfs.yaml:4:12: the virtual file 'link/to/x.yaml' is not shown: high/link, a symbolic link, stands in the place of a directory; move it away, or give the virtual file another path
	plyfs: plyfs.yaml:4:12: warning: the pattern 'none/*' of the virtual file 'link/to/x.yaml' matches no file; correct it
	plyfs: plyfs.yaml:6:12: warning: the virtual file 'masked.yaml' is not shown: all files that its pattern 'vd/*.yaml' matches are masked (dropins: uapi); remove the empty files or links that mask them
	plyfs: plyfs.yaml:6:12: warning: the pattern 'none/*' of the virtual file 'masked.yaml' matches no file; correct it
	plyfs: plyfs.yaml:3:12: the virtual file 'sub/x.yaml' is not shown: low/sub, a file, stands in the place of a directory; move it away, or give the virtual file another path
EOF
diff expected <(grep '^plyfs: ' err) >&2 || fail 'not these errors'
