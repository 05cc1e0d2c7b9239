#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
start
shows mnt/app.yaml $'a: 1\nb: 1'

echo 'b: 2' | replace high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 2'

# As vim saves: the old file becomes the backup, the new one is written in its place.
mv low/app.yaml low/app.yaml~
echo 'a: 2' >low/app.yaml
rm low/app.yaml~
comes_to_show mnt/app.yaml $'a: 2\nb: 2'

# By a hard link, and from another directory.
echo 'a: 3' >elsewhere
ln -f elsewhere low/app.yaml
comes_to_show mnt/app.yaml $'a: 3\nb: 2'
echo 'a: 4' | replace elsewhere
mv elsewhere low/app.yaml
comes_to_show mnt/app.yaml $'a: 4\nb: 2'
