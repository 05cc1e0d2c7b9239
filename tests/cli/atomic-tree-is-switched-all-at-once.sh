#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor/sub site
printf 'a: 1\n' | tee vendor/app.yaml >vendor/sub/x.yaml
printf 'b: 2\n' >site/app.yaml
ln -s app.yaml site/link
chmod 640 vendor/sub/x.yaml
render() { "$PLYFS" render --atomic --no-header -l vendor:site "$@"; }
generation() { readlink tree/..data; }
all() { (cd tree && find . -mindepth 1 -maxdepth 1 -printf '%f %l\n' | sort | xargs); }

# The layout is that of a Kubernetes volume.
runs 0 render tree
first=$(generation)
[ "$(all)" = "$first ..data $first .plyfs app.yaml ..data/app.yaml link ..data/link sub ..data/sub" ] || fail "$(all)"
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 2' ] && [ "$(readlink tree/..data/link)" = app.yaml ]
[ "$(stat -c %a tree/sub/x.yaml)" = 440 ]

# A generation, and the link to it, are the tree for all commands.
for path in tree tree/..data "tree/$first/"; do
	runs 0 "$PLYFS" ls "$path"
	prints $'app.yaml\nlink\nsub'
	runs 0 "$PLYFS" check "$path"
	prints '3 files: all merge'
	runs 1 "$PLYFS" get "$path" a
	says 'is a directory; give a file'
done
runs 1 "$PLYFS" check tree/..other
says 'tree/..other: no layer has such a file'

# If nothing changes, nothing is switched. A change makes another generation, in which the other files are the same.
runs 0 render tree
[ "$(generation)" = "$first" ] || fail 'it was switched for nothing'
before=$(stat -Lc '%i %y' tree/sub/x.yaml)
exec 7<tree/app.yaml
printf 'b: 3\n' >site/app.yaml
printf 'n: 1\n' >site/new.yaml
rm site/link
runs 0 render tree
second=$(generation)
[ "$second" != "$first" ] || fail 'it was not switched'
[ "$(all)" = "$second ..data $second .plyfs app.yaml ..data/app.yaml new.yaml ..data/new.yaml sub ..data/sub" ] || fail "$(all)"
[ "$(stat -Lc '%i %y' tree/sub/x.yaml)" = "$before" ] || fail 'a file that did not change is another'
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 3' ] && [ "$(cat <&7)" = $'a: 1\nb: 2' ]
[ -z "$(ls -A tree/.plyfs/stage)" ] && [ ! -e tree/.plyfs/next ]

# plyfs touches only its own: here are a foreign file at the top and in a generation, and directories of another kind.
echo mine >tree/foreign
printf 'f: 1\n' >site/foreign
runs 1 render tree
says "foreign: stands in the way and is not plyfs'"
[ "$(cat tree/foreign)" = mine ] && [ "$(cat tree/..data/foreign)" = 'f: 1' ]
printf 'f: 1\n' >tree/foreign
runs 0 render --adopt tree
[ "$(readlink tree/foreign)" = ..data/foreign ]
rm site/foreign
echo mine >tree/..data/sub/foreign
old=$(generation)
runs 1 render tree
grep -q "$old: can't be removed: something in it is not plyfs'" err
[ "$(cat "tree/$old/sub/foreign")" = mine ] && [ ! -e tree/foreign ]
rm "tree/$old/sub/foreign"
runs 0 render tree
[ ! -e "tree/$old" ] || fail 'an old generation stays'
runs 1 "$PLYFS" render --no-header -l vendor:site tree
says 'tree: was rendered with --atomic'
runs 0 "$PLYFS" render --no-header -l vendor:site plain
runs 1 render plain
says 'plain: was rendered without --atomic'
printf 'x: 1\n' >'site/..hidden'
runs 1 render tree
says "..hidden: begins with '..', which with --atomic is for generations"
rm 'site/..hidden'

# Drift is put right, wherever it is.
for broken in tree/app.yaml tree/..data/sub/x.yaml; do
	chmod u+w "$broken"
	echo x >>"$broken"
	runs 0 render --drift=keep tree
	grep -q '^x$' "$broken"
	runs 0 render tree
	! grep -q '^x$' "$broken" || fail "$broken is not put right"
done
rm -r tree/..data/sub tree/app.yaml
runs 0 render tree
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 3' ] && [ "$(cat tree/sub/x.yaml)" = 'a: 1' ]
rm tree/..data
runs 0 render tree
[ "$(cat tree/app.yaml)" = $'a: 1\nb: 3' ]
[ "$(find tree -maxdepth 1 -name '..2*' | wc -l)" = 1 ] || fail "an old generation stays: $(all)"

# A layer may have such names itself, as a ConfigMap that is mounted has, and links upwards.
mkdir -p map/..2026_01 map/sub links/sub
printf 'm: 1\n' >map/..2026_01/map.yaml
ln -s ..2026_01 map/..data
ln -s ..data/map.yaml map/map.yaml
for link in .. / "$PWD/map"; do
	ln -sfn "$link" map/sub/..x
	ln -sfn "$link" map/..y
	ln -sfn "$link" links/sub/..x
	runs 0 "$PLYFS" render -l map flat
	runs 0 "$PLYFS" render --atomic -l links linked
	for path in flat/sub/..x flat/..y linked/sub/..x; do
		runs 0 "$PLYFS" ls "$path"
		prints "$path"
		runs 0 "$PLYFS" check "$path"
		prints '1 file: all merge'
	done
done
runs 0 "$PLYFS" ls flat/..data
prints flat/..data
runs 0 "$PLYFS" ls flat/..2026_01
prints map.yaml
runs 0 "$PLYFS" get flat/..2026_01/map.yaml m
runs 0 "$PLYFS" check flat/..data
prints '1 file: all merge'
runs 0 "$PLYFS" explain flat/..2026_01/map.yaml m
grep -q '^m: 1 .*/map/\.\.2026_01/map.yaml:1:4$' out || fail "it says: $(cat out)"
chmod u+w flat/..2026_01/map.yaml
echo 'n: 1' >>flat/..2026_01/map.yaml
runs 0 "$PLYFS" diff flat
grep -qx '+n: 1' out || fail "it says: $(cat out)"
