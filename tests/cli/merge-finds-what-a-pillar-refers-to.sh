#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p data/deep data/.hidden
echo 'from: top' >data/base.yaml
echo 'from: deep' >data/deep/base.yaml
echo 'from: hidden' >data/.hidden/other.yaml
printf '_merge: base\nown: 1\n' >host.yaml
runs 0 "$PLYFS" merge -s pillar --set data_path=data host.yaml
grep -q 'from: top' out
rm data/base.yaml
runs 0 "$PLYFS" merge -s pillar --set data_path=data host.yaml
grep -q 'from: deep' out

printf '_merge: other\n' >host.yaml
runs 1 "$PLYFS" merge -s pillar --set data_path=data host.yaml
head -1 err | grep -q 'host.yaml:1:'
printf 'x: [' >data/other.yaml
runs 1 "$PLYFS" merge -s pillar --set data_path=data host.yaml
head -1 err | grep -q '^plyfs: data/other.yaml:'
ln -s ../data data/loop
runs 1 "$PLYFS" merge -s pillar --set data_path=data host.yaml
