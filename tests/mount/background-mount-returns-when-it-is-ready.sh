#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
echo 'a: 1' >low/app.yaml
printf 'layers: [low, high]\n' >plyfs.yaml
mkdir sub

# The caller's pipe ends with the caller: no process of the mount holds it open.
output=$("$PLYFS" mount low:high mnt 2>&1) || fail "it fails: $output"
[ -z "$output" ] || fail "it says: $output"
shows mnt/app.yaml 'a: 1'
unmount mnt

(cd sub && "$PLYFS" mount -c ../plyfs.yaml ../mnt)
shows mnt/app.yaml 'a: 1'
echo 'a: 2' >low/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
# Paths relative to the caller's directory still lead to the same places.
mkdir -p other
echo 'b: 1' >other/app.yaml
sed -i 's/low/other/' plyfs.yaml
comes_to_show mnt/app.yaml 'b: 1'
unmount mnt

code=0
"$PLYFS" mount low:nowhere mnt 2>errors || code=$?
[ $code -eq 1 ] || fail "the exit code is $code"
[ "$(wc -l <errors)" -eq 1 ] || fail "not one line: $(cat errors)"
code=0
"$PLYFS" mount low:high nowhere 2>errors || code=$?
[ $code -eq 1 ] || fail "the exit code is $code"
[ "$(wc -l <errors)" -eq 1 ] || fail "not one line: $(cat errors)"
