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
	says "make that directory first"
	[ "$(find base site conf -type f)" = $'base/app.yaml\nconf/plyfs.yaml' ] || fail "there is: $(find base site conf)"
}
refused set -c plyfs.yaml site/app.yaml b=2
says "site/app.yaml: no layer has a directory 'site'; paths are relative to the layers: 'app.yaml', with '-L site'"
refused set -c plyfs.yaml site/d/new.yaml b=2
says "'d/new.yaml', with '-L site'"
refused set -l base:site site/app.yaml b=2
refused set -n -c plyfs.yaml base/app.yaml b=2
says "'app.yaml', with '-L base'"
refused unset -c plyfs.yaml site/app.yaml a
EDITOR='cp typed' refused edit -c plyfs.yaml site/app.yaml
# From elsewhere, by the path from the working directory or by the layer's own.
refused set -c conf/plyfs.yaml conf/own/app.yaml b=2
refused set -c conf/plyfs.yaml own/app.yaml b=2
refused set -c conf/plyfs.yaml site/app.yaml b=2
says "'app.yaml', with '-L other'"
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
