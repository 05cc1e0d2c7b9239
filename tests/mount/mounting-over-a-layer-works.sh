#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
echo only >high/motd
exec 5<high # the layer itself, whatever lies over it
start low:high high
shows high/app.yaml $'a: 1\nb: 1'
shows high/motd only
echo 'a: 2' >low/app.yaml
comes_to_show high/app.yaml $'a: 2\nb: 1'
echo 'b: 2' >/proc/self/fd/5/app.yaml
comes_to_show high/app.yaml $'a: 2\nb: 2'
exec 5<&-
stop high
shows high/app.yaml 'b: 2'
