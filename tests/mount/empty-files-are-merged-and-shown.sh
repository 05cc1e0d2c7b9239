#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

: >low/both.yaml
: >high/both.yaml
: >low/one.json
echo 'a: 1' >low/lower.yaml
: >high/lower.yaml
: >low/upper.yaml
echo 'a: 1' >high/upper.yaml
echo text >low/motd
: >high/motd
start
for file in both.yaml one.json motd; do
	[ -f mnt/$file ] && [ ! -s mnt/$file ] || fail "$file has bytes, or is not there"
	shows mnt/$file ''
done
# An empty document has no opinion; an empty file that is not merged is the highest layer's.
shows mnt/lower.yaml 'a: 1'
shows mnt/upper.yaml 'a: 1'

: >high/upper.yaml
comes_to_show mnt/upper.yaml ''
echo 'b: 1' >high/both.yaml
comes_to_show mnt/both.yaml 'b: 1'
: >high/both.yaml
comes_to_show mnt/both.yaml ''
rm high/motd
comes_to_show mnt/motd text
comes_to_equal_fresh
