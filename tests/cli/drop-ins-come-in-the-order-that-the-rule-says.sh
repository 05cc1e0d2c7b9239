#!/bin/bash
. "$(dirname "$0")/cli.sh"

# There is a folder for each rule: the result of its layers is expected.yaml; the sources that are left out are in
# left-out.txt, with the reason.
cases=$(dirname "$(realpath "$0")")/dropins
for case in "$cases"/*/; do
	name=$(basename "$case")
	cp -r "$case" "$name"
	find "$name" -name .keep -delete
	runs 0 "$PLYFS" cat -c "$name/plyfs.yaml" app.yaml
	cmp -s out "$name/expected.yaml" || fail "$name: it is $(cat out)"
	runs 0 "$PLYFS" explain -c "$name/plyfs.yaml" app.yaml
	sed -n "s|^  lost   *\([a-z]* *\)$name/\(.*(dropins: uapi)\)|\1\2|p" out | sed 's/   */  /g' >left-out
	touch "$name/left-out.txt"
	diff left-out "$name/left-out.txt" || fail "$name: explain tells otherwise"
	# A mask is what it shall be: no advice leads away from it.
	"$PLYFS" check -c "$name/plyfs.yaml" >out 2>&1 || fail "$name: $(cat out)"
	! grep -E 'symbolic link|device' out || fail "$name: a mask is reported"
done
# Its twin: another name, a main file without drop-ins, and another mode.
name=uapi-masks-also-where-links-are-followed
ln -s /dev/null $name/site/app.yaml.d/README
echo 'a: 1' >$name/vendor/alone.yaml
ln -s /dev/null $name/site/alone.yaml
runs 0 "$PLYFS" check -c $name/plyfs.yaml
for file in app.yaml.d/README alone.yaml; do
	grep -q "site/$file: warning: a character device is not shown" err || fail "$(cat err)"
done
sed -i 's/uapi/layers/' $name/plyfs.yaml
runs 0 "$PLYFS" check -c $name/plyfs.yaml
[ "$(grep -c 'warning: a character device is not shown' err)" -gt 1 ] || fail "$(cat err)"

# The JSON output has them, too.
runs 0 "$PLYFS" explain -c uapi-masks-a-drop-in-by-an-empty-file/plyfs.yaml app.yaml --json
grep -q '"rule": "an empty file masks (dropins: uapi)"' out || fail "JSON does not tell the rule"

# If all drop-ins are masked, the file shows as it is.
mkdir -p all/one/app.yaml.d all/two/app.yaml.d
printf 'layers: [one, two]\nrules: [{match: "*.yaml", dropins: uapi}]\n' >all/plyfs.yaml
echo 'x: 1' >all/one/app.yaml.d/a.yaml
: >all/two/app.yaml
: >all/two/app.yaml.d/a.yaml
runs 0 "$PLYFS" cat -c all/plyfs.yaml app.yaml
prints ''

# A main file that a link masks is left out for one reason.
rm -r all
mkdir -p all/one/app.yaml.d all/two
printf 'layers: [one, two]\nrules: [{match: "*.yaml", dropins: uapi}]\n' >all/plyfs.yaml
echo 'x: 1' | tee all/one/app.yaml.d/a.yaml >all/one/app.yaml
ln -s /dev/null all/two/app.yaml
runs 0 "$PLYFS" explain -c all/plyfs.yaml app.yaml
[ "$(grep -c 'lost .*all/one/app.yaml ' out)" = 1 ] || fail "it says: $(cat out)"

# A drop-in that is left out does not keep explain from naming a hidden main file.
rm -r all
mkdir -p all/one/app.yaml.d all/two/app.yaml.d all/two/app.yaml all/three/app.yaml.d
printf 'layers: [one, two, three]\nrules: [{match: "*.yaml", dropins: uapi}]\n' >all/plyfs.yaml
echo 'x: 1' | tee all/one/app.yaml.d/a.yaml all/one/app.yaml all/three/app.yaml.d/a.yaml >all/three/app.yaml
runs 0 "$PLYFS" explain -c all/plyfs.yaml app.yaml
[ "$(grep -c 'lost .*all/one/app.yaml.d/a.yaml ' out)" = 1 ] || fail "it says: $(cat out)"
[ "$(grep -c 'lost .*all/one/app.yaml .*hidden by' out)" = 1 ] || fail "it says: $(cat out)"
