#!/bin/bash
. "$(dirname "$0")/cli.sh"

cp -r "$(dirname "$(realpath "$0")")/explain/." .
printf 'one\ntwo\n' | tee vendor/all.txt vendor/first.txt >vendor/last.txt
printf 'three' | tee site/all.txt site/first.txt >site/last.txt
ln -s all.txt site/link
ln -s . vendor/there

runs 0 "$PLYFS" explain -c plyfs.yaml all.txt
prints 'all.txt: concat
  vendor  vendor/all.txt
  site    site/all.txt

lines 1-2                               vendor  vendor/all.txt
line 3                                  site    site/all.txt'
# A part without a newline at its end, and with a line between two parts.
mkdir -p top
printf 'four\nfive' >top/all.txt
printf 'layers: [vendor, site, top]\nrules: [{match: all.txt, strategy: concat, options: {separator: "--"}}]\n' >three.yaml
for separator in -- '' "-\n-"; do
	sed -i "s/separator: \".*\"/separator: \"$separator\"/" three.yaml
	runs 0 "$PLYFS" cat -c three.yaml all.txt
	cp out merged
	runs 0 "$PLYFS" explain -c three.yaml all.txt
	while read -r _ lines layer _; do
		[ "$(sed -n "${lines/-/,}p" merged)" = "$(cat $layer/all.txt)" ] || fail "lines $lines of $layer: $(cat merged)"
	done < <(grep '^lines* [0-9]' out)
	[ "$(grep -c '^lines* [0-9]' out)" -eq 3 ] || fail "$(cat out)"
done
runs 0 "$PLYFS" explain -c plyfs.yaml last.txt
prints "last.txt: last
  site    site/last.txt

line 1                                  site    site/last.txt
  lost                                  vendor  vendor/last.txt       the highest layer's file is taken"
runs 0 "$PLYFS" explain -c plyfs.yaml first.txt
grep -q "^  lost  *site  *site/first.txt  *the lowest layer's file is taken$" out

# The link itself is explained; the links on the path to it are followed.
runs 0 "$PLYFS" explain -c plyfs.yaml there/link
prints 'link

a symbolic link                         site  site/link'
runs 0 "$PLYFS" explain -c plyfs.yaml ./there//there/all.txt

# One layer's file, byte for byte; one that can't be read; several documents; none; a large one.
printf 'a: 1\n---\na: 2\n' >vendor/two.yaml
printf 'a: [\n' >vendor/bad.yaml
: >vendor/none.yaml
truncate -s 5M vendor/large
runs 0 "$PLYFS" explain -c plyfs.yaml two.yaml
[ "$(grep -c '^\[[01]\].a: [12]  *vendor  vendor/two.yaml:[13]:4$' out)" -eq 2 ]
runs 0 "$PLYFS" explain -c plyfs.yaml bad.yaml
grep -q '^line 1  *vendor  vendor/bad.yaml$' out
runs 0 "$PLYFS" explain -c plyfs.yaml none.yaml
runs 0 "$PLYFS" explain -c plyfs.yaml large
grep -q '^a large file, as it is  *vendor  vendor/large$' out

runs 1 "$PLYFS" explain -c plyfs.yaml all.txt key
says 'is not read as values'

# A file without values is read all the same, and one that does not parse is said to be wrong.
runs 1 "$PLYFS" explain -c plyfs.yaml none.yaml key
says "none.yaml: holds no values, so it has no 'key'; leave the KEY out"
runs 1 "$PLYFS" explain -c plyfs.yaml bad.yaml key
says 'bad.yaml:1:'
for path in nothing there .wh.x; do
	[ $path != .wh.x ] || touch vendor/.wh.x
	[ $path != there ] || path=./
	runs 1 "$PLYFS" explain -c plyfs.yaml $path
done
runs 1 "$PLYFS" explain -c plyfs.yaml all.txt/
says 'all.txt/: '
