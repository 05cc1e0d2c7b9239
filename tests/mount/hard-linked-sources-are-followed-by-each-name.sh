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
# Two names are two files in the mount: later they could differ.
[ "$(stat -c %i mnt/app.yaml)" != "$(stat -c %i mnt/third.yaml)" ]
[ "$(stat -c %h mnt/app.yaml)" -eq 1 ]

# If the file is replaced under one name, the others keep the old content.
echo 'a: 2' | replace low/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
shows mnt/dir/same.yaml 'a: 1'

# A link is made and removed.
ln high/third.yaml low/fourth.yaml
comes_to_show mnt/fourth.yaml 'a: 1'
rm high/third.yaml
comes_to_vanish mnt/third.yaml
shows mnt/fourth.yaml 'a: 1'

# A write through one name changes the file under all names.
echo 'a: 3' >low/dir/same.yaml
comes_to_show mnt/dir/same.yaml 'a: 3'
comes_to_show mnt/fourth.yaml 'a: 3'
comes_to_equal_fresh
