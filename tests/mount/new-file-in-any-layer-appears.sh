#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir -p low/dir/deep
start
lists mnt dir
# The kernel caches absence, too.
[ ! -e mnt/app.yaml ]
[ ! -e mnt/dir/deep/x.yaml ]

echo 'a: 1' >low/app.yaml
comes_to_show mnt/app.yaml 'a: 1'
echo 'b: 1' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 1'
echo 'x: 1' >low/dir/deep/x.yaml
comes_to_show mnt/dir/deep/x.yaml 'x: 1'
mkdir -p high/dir/deep
echo 'x: 2' >high/dir/deep/x.yaml
comes_to_show mnt/dir/deep/x.yaml 'x: 2'
comes_to_list mnt app.yaml dir
comes_to_list mnt/dir/deep x.yaml
