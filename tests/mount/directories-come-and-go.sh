#!/bin/bash
. "$(dirname "$0")/mount.sh"

start
[ ! -e mnt/a ]

# A directory that comes filled, at once and step by step.
mkdir -p prepared/b/c
echo 'x: 1' >prepared/b/c/x.yaml
mv prepared low/a
comes_to_show mnt/a/b/c/x.yaml 'x: 1'
mkdir -p high/a/b/c/d
echo deep >high/a/b/c/d/motd
comes_to_show mnt/a/b/c/d/motd deep
echo 'y: 1' >high/a/b/c/x.yaml
comes_to_show mnt/a/b/c/x.yaml $'x: 1\ny: 1'
comes_to_list mnt/a/b/c d x.yaml

# The directory goes from one of two layers, then from the other.
rm -r high/a
comes_to_show mnt/a/b/c/x.yaml 'x: 1'
comes_to_list mnt/a/b/c x.yaml
mv low/a low/z
comes_to_vanish mnt/a
comes_to_show mnt/z/b/c/x.yaml 'x: 1'
comes_to_list mnt z
# A moved directory is still watched, under its new name.
echo 'x: 2' >low/z/b/c/x.yaml
comes_to_show mnt/z/b/c/x.yaml 'x: 2'
rm -r low/z
comes_to_list mnt
mkdir low/z
echo again >low/z/motd
comes_to_show mnt/z/motd again
