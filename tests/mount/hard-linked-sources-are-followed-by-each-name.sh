#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

# One file under two names of a layer, and in two layers.
mkdir low/dir
echo 'a: 1' >low/app.yaml
ln low/app.yaml low/dir/same.yaml
ln low/app.yaml high/third.yaml
start
for name in app.yaml dir/same.yaml third.yaml; do
	shows mnt/$name 'a: 1'
done
# Two names are two files in the mount: one could come to differ from the other.
[ "$(stat -c %i mnt/app.yaml)" != "$(stat -c %i mnt/third.yaml)" ]
[ "$(stat -c %h mnt/app.yaml)" -eq 1 ]

# Replaced under one name, the others keep what they had.
echo 'a: 2' | replace low/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
shows mnt/dir/same.yaml 'a: 1'

# A link that is made and taken away.
ln high/third.yaml low/fourth.yaml
comes_to_show mnt/fourth.yaml 'a: 1'
rm high/third.yaml
comes_to_vanish mnt/third.yaml
shows mnt/fourth.yaml 'a: 1'

# Written through one name: it has changed under all.
echo 'a: 3' >low/dir/same.yaml
comes_to_show mnt/dir/same.yaml 'a: 3'
comes_to_show mnt/fourth.yaml 'a: 3'
comes_to_equal_fresh
