#!/bin/bash
# Seven files have the sources of one directory, and one of these breaks: for five files, not for the other two. Meanwhile
# each merge of a file gives the daemon a newer state of the source. The last good state stays in each of the five files,
# and the other sources go on changing.
. "$(dirname "$0")/mount.sh"

need getfattr

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
	for file in 6 7; do
		echo "  - {path: $file.yaml, from: 'conf.d/*.yaml', strategy: deep, options: {lists: replace}}"
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
		eventually grep -q 'c: 2' mnt/$file.yaml || fail "$file.yaml stays as it was: $(cat mnt/$file.yaml)"
		grep -q "x: $i}" mnt/$file.yaml || fail "the values of b.yaml are gone, and $file.yaml is: $(cat mnt/$file.yaml)"
	done
done

# The same if the files as a whole stay for a while, because of a source that never was good.
echo 'list: [{name: a, x: 0}]' | replace low/conf.d/b.yaml
for file in {1..7}; do
	eventually grep -q 'x: 0}' mnt/$file.yaml || fail "$file.yaml is: $(cat mnt/$file.yaml)"
done
echo 'd: [' | replace low/conf.d/d.yaml
says() { [[ $(attribute mnt/1.yaml user.plyfs.error) == *"$1"* ]]; }
eventually says 'the version of' || fail "d.yaml is no error: $(attribute mnt/1.yaml user.plyfs.error)"
echo 'list: [{name: a}, {name: a}]' | replace low/conf.d/b.yaml
sleep 0.3
echo 'd: 1' | replace low/conf.d/d.yaml
for file in 1 2 3 4 5; do
	eventually grep -q 'd: 1' mnt/$file.yaml || fail "$file.yaml stays as it was: $(cat mnt/$file.yaml)"
	grep -q 'x: 0}' mnt/$file.yaml || fail "the values of b.yaml are gone, and $file.yaml is: $(cat mnt/$file.yaml)"
done
