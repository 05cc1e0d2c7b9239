#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir -p low/both/deep low/only-low high/both/deep high/only-high
touch low/a low/both/b low/both/deep/c low/only-low/d
touch high/A high/both/b high/both/B high/both/deep/C high/only-high/D
start

lists mnt A a both only-high only-low
lists mnt/both B b deep
lists mnt/both/deep C c
lists mnt/only-low d
lists mnt/only-high D
[ "$(find mnt | wc -l)" -eq 13 ] || fail "find sees: $(find mnt)"
[ "$(stat -c %F mnt/both)" = directory ] || fail "mnt/both is no directory"
