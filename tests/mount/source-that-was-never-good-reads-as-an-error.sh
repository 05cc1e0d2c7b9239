#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr
echo 'a: 1' >low/app.yaml
echo 'b: [' >high/app.yaml
echo fine >low/other
start
comes_to_list mnt app.yaml other
fails_with 'Input/output error' cat mnt/app.yaml
shows mnt/other fine
[[ $(attribute mnt/app.yaml user.plyfs.error) == "$PWD"/high/app.yaml:* ]]
fails_with "$PWD/high/app.yaml:" "$PLYFS" cat -l low:high app.yaml

echo 'b: 1' >high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 1'
