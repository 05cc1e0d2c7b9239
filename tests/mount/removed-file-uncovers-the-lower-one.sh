#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir high/dir
echo 'a: 1' | tee low/app.yaml low/dir/app.yaml >/dev/null
echo 'b: 1' | tee high/app.yaml high/dir/app.yaml >/dev/null
start
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/dir/app.yaml $'a: 1\nb: 1'

rm high/app.yaml high/dir/app.yaml
comes_to_show mnt/app.yaml 'a: 1'
comes_to_show mnt/dir/app.yaml 'a: 1'
mv low/app.yaml elsewhere
rm low/dir/app.yaml
comes_to_vanish mnt/app.yaml
comes_to_list mnt dir
comes_to_vanish mnt/dir/app.yaml
mv elsewhere low/app.yaml
comes_to_show mnt/app.yaml 'a: 1'
