#!/bin/bash
# Five files have the sources of one directory, and one of these breaks. Meanwhile each merge of a file replaces what the
# daemon keeps of the sources. A file whose last good state of the source is gone may stay as it was, but never lose the
# source's values.
. "$(dirname "$0")/mount.sh"

mkdir -p low/conf.d
echo 'list: [{name: b}]' >low/conf.d/a.yaml
echo 'list: [{name: a, x: 0}]' >low/conf.d/b.yaml
echo 'c: 0' >low/conf.d/c.yaml
{
	echo 'layers: [low]'
	echo 'options: {header: false}'
	echo 'files:'
	for file in 1 2 3 4 5; do
		echo "  - {path: $file.yaml, from: 'conf.d/*.yaml', strategy: deep, options: {lists: {list: {by: name, twice: error}}}}"
	done
} >plyfs.yaml
start -c plyfs.yaml mnt
for i in {1..10}; do
	echo "list: [{name: a, x: $i}]" | replace low/conf.d/b.yaml
	echo 'c: 0' | replace low/conf.d/c.yaml
	for file in 1 2 3 4 5; do
		eventually grep -q "x: $i}" mnt/$file.yaml || fail "$file.yaml is: $(cat mnt/$file.yaml)"
		eventually grep -q 'c: 0' mnt/$file.yaml || fail "$file.yaml is: $(cat mnt/$file.yaml)"
	done
	echo 'list: [{name: a}, {name: a}]' | replace low/conf.d/b.yaml
	for change in 1 2; do
		echo "c: $change" >low/conf.d/c.yaml
		sleep 0.2
	done
	for file in 1 2 3 4 5; do
		grep -q "x: $i}" mnt/$file.yaml || fail "the values of b.yaml are gone, and $file.yaml is: $(cat mnt/$file.yaml)"
	done
done
