#!/bin/bash
. "$(dirname "$0")/cli.sh"
# A new file whose path begins with the directory of a layer is most likely a mistake: set, unset and edit make none.

mkdir -p base site conf/own elsewhere
echo 'a: 1' >base/app.yaml
printf 'layers: [base, site]\n' >plyfs.yaml
printf 'layers: [own, {name: other, path: ../site}]\n' >conf/plyfs.yaml
echo 'a: 1' >typed

refused() {
	runs 1 "$PLYFS" "$@"
	says 'paths are relative to the layers'
	# Only a command that makes a file says how to make this one.
	case $1 in
	set | edit) says 'in a layer, make that directory first' ;;
	*) ! grep -q 'make that' err || fail "$(cat err)" ;;
	esac
	[ "$(find base site conf -type f)" = $'base/app.yaml\nconf/plyfs.yaml' ] || fail "there is: $(find base site conf)"
}
refused set -c plyfs.yaml site/app.yaml b=2
says "site/app.yaml: no layer has a directory 'site'; paths are relative to the layers: 'app.yaml', with -L site"
refused set -c plyfs.yaml site/d/new.yaml b=2
says "'d/new.yaml', with -L site for this layer; if the file is to be in a new 'site' in a layer,"
refused set -l base:site site/app.yaml b=2
refused set -n -c plyfs.yaml base/app.yaml b=2
says "'app.yaml', with -L base"
refused unset -c plyfs.yaml site/app.yaml a
refused hide -c plyfs.yaml site/app.yaml
refused reset -c plyfs.yaml site/app.yaml
refused reset -c plyfs.yaml site/app.yaml a
EDITOR='cp typed' refused edit -c plyfs.yaml site/app.yaml
# From elsewhere, by the path from the working directory or by the layer's own.
refused set -c conf/plyfs.yaml conf/own/app.yaml b=2
refused set -c conf/plyfs.yaml own/app.yaml b=2
refused set -c conf/plyfs.yaml site/app.yaml b=2
says "'app.yaml', with -L other"
# The others, too, name the file of the layer below.
runs 1 "$PLYFS" cat -c plyfs.yaml site/app.yaml
says "no layer has such a file; paths are relative to the layers: 'app.yaml'"

# What may be meant is made: below a directory that a layer has, and at a path that only resembles a layer's.
runs 0 "$PLYFS" set -c plyfs.yaml sites/app.yaml b=2
runs 0 "$PLYFS" set -c conf/plyfs.yaml other/app.yaml b=2
[ -f site/sites/app.yaml ] && [ -f site/other/app.yaml ] || fail "there is: $(find site)"
mkdir base/site
runs 0 "$PLYFS" set -c plyfs.yaml site/app.yaml b=2
[ -f site/site/app.yaml ] || fail "there is: $(find site)"

# A layer may have the first name of the path alone. Another layer may hide it, or its own may exclude it.
new() {
	runs 0 "$PLYFS" set "$@" site/n/e/w.yaml a=1
	[ "$(find base site -name w.yaml)" = site/site/n/e/w.yaml ] || fail "there is: $(find base site)"
	rm -r site/site
}
rm -r site/site
new -c plyfs.yaml
touch site/.wh.site
new -c plyfs.yaml
rm site/.wh.site
rmdir base/site
mkdir site/site
printf 'layers: [base, {path: site, exclude: [site/**]}]\n' >excluding.yaml
runs 1 "$PLYFS" set -c excluding.yaml site/n/e/w.yaml a=1
says "is excluded from the layer 'site'"

# A layer's name may need quotes. A layer may be named like the directory above it.
mkdir -p 'my layer' twice/twice
runs 1 "$PLYFS" set -l 'base:my layer' 'my layer/app.yaml' a=1
says "with -L 'my layer' for this layer"
echo 'a: 1' >twice/twice/app.yaml
echo 'layers: [twice]' >twice/plyfs.yaml
for path in twice/app.yaml twice/twice/app.yaml; do
	runs 1 "$PLYFS" cat -c twice/plyfs.yaml $path
	says "$path: no layer has such a file; paths are relative to the layers: 'app.yaml'"
done
runs 1 "$PLYFS" set -c twice/plyfs.yaml twice/twice/app.yaml a=1
says "paths are relative to the layers: 'app.yaml'"
