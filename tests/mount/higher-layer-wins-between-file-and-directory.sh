#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/one high/two
echo low >low/one/inside
echo file | tee high/one low/two >/dev/null
echo high >high/two/inside
start
shows mnt/one file
[ -d mnt/two ]
lists mnt/two inside
shows mnt/two/inside high

rm high/one
comes_to_show mnt/one/inside low
rm -r high/two
comes_to_show mnt/two file
rm low/two
mkdir low/two
echo low >low/two/inside
comes_to_show mnt/two/inside low
echo again >high/one
comes_to_show mnt/one again
