#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor/sub site
printf 'a: 1\n' | tee vendor/app.yaml >vendor/sub/x.yaml
printf 'b: 2\n' >site/app.yaml
ln -s app.yaml site/link
chmod 640 vendor/sub/x.yaml
render() { "$PLYFS" render --no-header -l vendor:site "$@"; }

runs 0 render tree
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 2' ]
[ "$(readlink tree/link)" = app.yaml ]
[ "$(stat -c %a tree/sub/x.yaml)" = 440 ]
[ "$(cd tree && find . -not -path './.plyfs*' | sort | xargs)" = '. ./app.yaml ./link ./sub ./sub/x.yaml' ]
[ "$(stat -c %a tree/.plyfs)" = 700 ]

# Only changed files are touched.
before=$(stat -c '%i %z' tree/sub/x.yaml)
printf 'b: 3\n' >site/app.yaml
runs 0 render tree
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 3' ]
[ "$(stat -c '%i %z' tree/sub/x.yaml)" = "$before" ] || fail 'a file that did not change was touched'

# A source that breaks leaves the rendered file, and that is reported. A file that never was good is not made.
cp site/app.yaml good.yaml
printf 'b: [\n' | tee site/app.yaml vendor/never.yaml >site/never.yaml
runs 1 render tree
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 3' ]
grep -qx 'plyfs: app.yaml: does not merge; the file that was rendered before stays' err
grep -qx 'plyfs: never.yaml: does not merge, and never did' err
grep -q '(app.yaml, since .*; the file that was rendered before, if any, stays)$' err
! grep -q 'reading it fails' err
mv good.yaml site/app.yaml
rm site/never.yaml vendor/never.yaml
runs 0 render tree

# A change of a rendered file is put right, and a file that another program has put there stays.
chmod u+w tree/app.yaml
echo x >>tree/app.yaml
echo mine >tree/foreign
runs 0 render tree
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 3' ]
[ "$(cat tree/foreign)" = mine ]

# A foreign file in the way is an error that names it; the other files are there.
echo theirs >site/foreign
printf 'b: 4\n' >site/app.yaml
runs 1 render tree
says "foreign: stands in the way and is not plyfs'"
[ "$(cat tree/foreign)" = mine ]
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 4' ]
runs 1 render --adopt tree
echo theirs >tree/foreign
runs 0 render --adopt tree
rm site/foreign
runs 0 render tree
[ ! -e tree/foreign ] || fail 'what was adopted stays'
echo mine >tree/sub/foreign
rm -r vendor/sub
runs 1 render tree
grep -q 'something in it is not plyfs' err
[ "$(cat tree/sub/foreign)" = mine ] && [ ! -e tree/sub/x.yaml ]
rm tree/sub/foreign
runs 0 render tree
[ ! -e tree/sub ]

# A directory that plyfs has not made is refused; so is a second renderer.
mkdir full && echo x >full/x
runs 1 render full
says 'is not empty, and was not rendered by plyfs'
[ "$(ls -A full)" = x ]
need flock
runs 1 flock tree/.plyfs "$PLYFS" render -l vendor:site tree
says 'is being rendered by another plyfs already'

# A link that somebody else puts there is not followed.
mkdir -p elsewhere vendor/sub
rm -rf tree && runs 0 render tree
echo 'a: 1' >vendor/sub/x.yaml
runs 0 render tree
rm -r tree/sub && ln -s ../elsewhere tree/sub
runs 0 render tree
[ -z "$(ls elsewhere)" ] || fail 'it has written elsewhere'
[ "$(cat tree/sub/x.yaml)" = 'a: 1' ]

# A file that never was good is not there, and files that were good stay.
printf 'b: [\n' >site/app.yaml
runs 1 render tree
grep -q 'site/app.yaml:1:4' err
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 4' ]
printf '{' | tee vendor/new.json >site/new.json
runs 1 render tree
[ ! -e tree/new.json ]

# A layer is no place to render into: the files that are written would be merged once more.
mkdir own
ln -s own link
printf 'layers: [vendor, {path: own, optional: true}]\n' >own.yaml
for target in own link ./own/../own; do
	runs 1 "$PLYFS" render -c own.yaml "$target"
	says "own.yaml:1:25: the layer 'own' is the directory that is rendered into, so its files would be merged again and again"
	runs 1 "$PLYFS" render -n -c own.yaml "$target"
done
[ -z "$(ls -A own)" ] || fail 'it has written into the layer'
rmdir own
runs 1 "$PLYFS" render -c own.yaml own
[ ! -e own ] || fail 'the directory stays'
ln -s . here
for layer in own/ here/own own/..data here/own/..data; do
	echo "layers: [vendor, {path: $layer, optional: true}]" >own.yaml
	for options in -n -q --atomic; do
		runs 1 "$PLYFS" render $options -c own.yaml own
		says "the layer '$(basename $layer)' is the directory that is rendered into"
	done
	[ ! -e own ] || fail "$layer: the directory stays"
done
# Nor is a generation of the tree a layer, whatever it is called.
runs 0 "$PLYFS" render --atomic -l vendor atomic
for layer in atomic/..data "atomic/$(readlink atomic/..data)" here/atomic/..data; do
	runs 1 "$PLYFS" render --atomic -l "vendor:$layer" atomic
	says "the layer '$(basename $layer)' is the directory that is rendered into"
done
# The negative twin: other directories there, and above it.
for layer in own/sub own/.. own/../..data own/sub/..data; do
	echo "layers: [vendor, {path: $layer, optional: true}]" >own.yaml
	runs 0 "$PLYFS" render -n -c own.yaml own
done
runs 0 "$PLYFS" render -n -l atomic/..data own
runs 1 "$PLYFS" render -l vendor:tree tree
says "the layer 'tree' is the directory that is rendered into"
# Nor may it become a layer later.
echo 'layers: [vendor]' >own.yaml
"$PLYFS" render --watch -c own.yaml watched 2>watch.err &
pid=$!
for ((i = 0; i < 200; i++)); do
	[ ! -e watched/.plyfs/status ] || break
	sleep 0.1
done
echo 'layers: [vendor, watched]' >own.yaml
is_refused() { [[ $("$PLYFS" status watched) == *"the layer 'watched' is the directory that is rendered into"* ]]; }
for ((i = 0; i < 200; i++)); do
	! is_refused || break
	sleep 0.1
done
is_refused || fail "it is not refused: $("$PLYFS" status watched)"
kill $pid
wait $pid || true
# The negative twin: a directory in a layer is left out of that layer.
runs 0 "$PLYFS" render -l vendor vendor/inner
runs 0 "$PLYFS" render -l vendor vendor/inner
[ ! -e vendor/inner/inner ] || fail 'it renders what it has rendered'

runs 2 "$PLYFS" render tree
says 'give -c or -l'
runs 2 render
says 'the directory is missing'
