#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
mkdir -p low/deep/er
echo old >low/deep/er/motd
start
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/deep/er/motd old

# As nano saves: open, truncate, write, close.
echo 'a: 2' >low/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 1'
echo 'b: 2' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 2'
echo 'c: 3' >>high/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 2\nc: 3'
: >high/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
echo new >low/deep/er/motd
comes_to_show mnt/deep/er/motd new

# Never closed: plyfs reads it when it has been quiet for a while.
exec 5>high/app.yaml
echo 'b: 3' >&5
comes_to_show mnt/app.yaml $'a: 2\nb: 3'
exec 5>&-
