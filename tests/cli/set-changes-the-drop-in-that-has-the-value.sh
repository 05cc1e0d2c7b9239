#!/bin/bash
# A layer can have a file and drop-ins. A value of a drop-in is changed there, as a change of the
# file itself would not show.
. "$(dirname "$0")/cli.sh"

prepare() {
	rm -rf v s
	mkdir -p v s/a.yaml.d
	printf 'x: 1\nz: 0\nl:\n- {name: a, v: 1}\n- {name: b, v: 2}\n' >v/a.yaml
	printf 'y: 1\n' >s/a.yaml
	printf '# mine\nx: 2 # here\nl:\n- {name: a, v: 5}\n' >s/a.yaml.d/10-a.yaml
	printf 'o: 1\n' >s/a.yaml.d/20-b.yaml
}
value() { runs 0 "$PLYFS" get -c plyfs.yaml a.yaml "$1" && prints "$2"; }
prints_line() { grep -qxF "$1" out || fail "it says: $(cat out)"; }

cat >plyfs.yaml <<'EOF'
layers: [v, s]
rules:
  - {match: a.yaml, dropins: layers, options: {lists: {l: {by: name}}}}
EOF
prepare
runs 0 "$PLYFS" set -c plyfs.yaml a.yaml x=3
prints_line 's/a.yaml.d/10-a.yaml:2: x: 2 -> 3'
grep -qx 'x: 3 # here' s/a.yaml.d/10-a.yaml || fail 'the comment is lost'
runs 0 "$PLYFS" set -c plyfs.yaml a.yaml 'l[name=a].v=7'
value 'l[name=a].v' 7
[ "$(cat s/a.yaml)" = 'y: 1' ] || fail "s/a.yaml is: $(cat s/a.yaml)"
runs 0 "$PLYFS" unset -c plyfs.yaml a.yaml 'l[name=a]'
prints_line 's/a.yaml.d/10-a.yaml: l[0]: removed (was a map) (hides v/a.yaml:4)'
runs 0 "$PLYFS" unset -c plyfs.yaml a.yaml x
runs 0 "$PLYFS" cat -c plyfs.yaml a.yaml
! grep -q '^x:' out || fail 'x is still there'
[ "$(cat s/a.yaml.d/20-b.yaml)" = 'o: 1' ] || fail '20-b.yaml has changed'

# If two drop-ins have it, the one that counts is changed.
prepare
printf 'x: 4\n' >s/a.yaml.d/20-b.yaml
runs 0 "$PLYFS" set -c plyfs.yaml a.yaml x=5
prints_line 's/a.yaml.d/20-b.yaml:1: x: 4 -> 5'

# A new value goes into the file itself.
runs 0 "$PLYFS" set -c plyfs.yaml a.yaml n=1
[ "$(cat s/a.yaml)" = $'y: 1\nn: 1' ] || fail "s/a.yaml is: $(cat s/a.yaml)"

# So it is with the sources of a virtual file.
printf 'layers: [v, s]\nfiles:\n  - {path: a.yaml, from: [a.yaml, a.yaml.d/*.yaml]}\n' >plyfs.yaml
prepare
runs 0 "$PLYFS" set -c plyfs.yaml a.yaml x=3
prints_line 's/a.yaml.d/10-a.yaml:2: x: 2 -> 3'

# So it is if messages show the name with an escape.
printf 'layers: [v, s]\nrules:\n  - {match: "*.yaml", dropins: layers}\n' >plyfs.yaml
odd=$'a\x01.yaml'
mkdir s/"$odd".d
echo 'y: 1' >s/"$odd"
echo 'x: 2' >s/"$odd".d/10.yaml
runs 0 "$PLYFS" set -c plyfs.yaml "$odd" x=3
prints_line 's/a\x01.yaml.d/10.yaml:1: x: 2 -> 3'

# With `dropins: uapi` a lower layer's drop-in may count more than the file.
printf 'layers: [v, s]\nrules:\n  - {match: a.yaml, dropins: uapi}\n' >plyfs.yaml
rm -rf v s
mkdir -p v/a.yaml.d s
printf 'x: 5\n' >v/a.yaml.d/50-v.yaml
printf 'x: 1\n' >s/a.yaml
runs 0 "$PLYFS" set -c plyfs.yaml a.yaml x=3
value x 3

# What a higher layer has can't be changed in the lower one's drop-ins, either.
printf 'layers: [v, s]\nrules:\n  - {match: a.yaml, dropins: layers}\n' >plyfs.yaml
prepare
mkdir v/a.yaml.d
printf 'x: 9\n' >v/a.yaml.d/10-a.yaml
runs 1 "$PLYFS" set -L v -c plyfs.yaml a.yaml x=7
grep -q "^plyfs: s/a.yaml.d/10-a.yaml:2:4: the layer 's' is higher and sets it, so a change in 'v' would not" err ||
	fail "it says: $(cat err)"

# A drop-in without directives is no obstacle: a new one removes the value behind it. If yet another
# drop-in sets the value behind that, nothing changes, and the message names the drop-in.
printf 'layers: [v, s]\nrules:\n  - {match: a.json, dropins: layers}\n' >plyfs.yaml
rm -rf v s
mkdir -p v s/a.json.d
echo '{"x": 1}' >v/a.json
echo '{"z": 1}' >s/a.json
echo 'q: 1' >s/a.json.d/10.yaml
echo '{"x": 5}' >s/a.json.d/20.json
runs 0 "$PLYFS" unset -c plyfs.yaml a.json x
grep -qx 'x: !delete' s/a.json.d/90-set.yaml || fail "$(head s/a.json.d/*)"
rm s/a.json.d/90-set.yaml
echo '{"x": 6}' >s/a.json.d/95.json
runs 1 "$PLYFS" unset -c plyfs.yaml a.json x
grep -q "s/a.json.d/95.json:1:7: " err || fail "it says: $(cat err)"
[ ! -e s/a.json.d/90-set.yaml ] || fail 'a drop-in was made'

# If the drop-in can't be changed so, either, the message is about the drop-in: the rule has drop-ins.
rm -rf v s
mkdir -p v s/a.json.d
echo '{"l": ["a"]}' >v/a.json
echo '{"z": 1}' >s/a.json
echo 'l: !append [b]' >s/a.json.d/10.yaml
runs 1 "$PLYFS" unset -c plyfs.yaml a.json 'l[0]'
grep -q "s/a.json.d/10.yaml:1:4: can't be changed as it is written; edit it by hand" err || fail "it says: $(cat err)"

# An empty main file masks those of lower layers: what is unset does not uncover them.
printf 'layers: [v, s]\nrules:\n  - {match: a.toml, dropins: uapi}\n' >plyfs.yaml
rm -rf v s
mkdir v s
echo 'x = 1' >v/a.toml
echo 'x = 2' >s/a.toml
runs 0 "$PLYFS" unset -c plyfs.yaml a.toml x
runs 0 "$PLYFS" cat -c plyfs.yaml a.toml
prints ''

# While it is empty and masks, a new value goes into a drop-in, if there are others.
mkdir v/a.toml.d
echo 'x = 3' >v/a.toml.d/90-set.toml
runs 0 "$PLYFS" set -c plyfs.yaml a.toml y 5
prints 's/a.toml.d/99-set.toml:1: y: 5 (new)'
rm -r s/a.toml.d
mkdir t
ln -s /dev/null t/a.toml
sed -i 's/v, s/v, s, t/' plyfs.yaml
rm s/a.toml
runs 0 "$PLYFS" set -c plyfs.yaml -L s a.toml y 5
prints 's/a.toml.d/99-set.toml:1: y: 5 (new)'

# A name that would not show, or is taken by a link, is not the new drop-in's.
rm -r s/a.toml.d
mkdir t/a.toml.d
for hide in 'touch t/a.toml.d/.wh.99-set.toml' 'ln -s /dev/null t/a.toml.d/99-set.toml' \
	'mkdir t/a.toml.d/99-set.toml' 'ln -s /dev/null s/a.toml.d/99-set.toml'; do
	rm -rf t/a.toml.d s/a.toml.d
	mkdir t/a.toml.d s/a.toml.d
	$hide
	runs 0 "$PLYFS" set -c plyfs.yaml -L s a.toml y 5
	prints 's/a.toml.d/zz-set.toml:1: y: 5 (new)'
	runs 0 "$PLYFS" get -c plyfs.yaml a.toml y
	prints 5
done
rm -rf t/a.toml.d s/a.toml.d
for name in '99-*' '{99,zz}-*'; do
	sed -i "/^layers/s/.*/layers: [v, {path: s, exclude: ['a.toml.d\/$name']}, t]/" plyfs.yaml
	[ "$name" = '99-*' ] || continue
	runs 0 "$PLYFS" set -c plyfs.yaml -L s a.toml y 5
	prints 's/a.toml.d/zz-set.toml:1: y: 5 (new)'
	rm -r s/a.toml.d
done
runs 1 "$PLYFS" set -c plyfs.yaml -L s a.toml y 5
says "is excluded from the layer 's', so a change would not show"
