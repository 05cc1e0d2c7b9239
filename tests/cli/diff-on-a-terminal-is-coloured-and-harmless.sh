#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir low high
printf 'title \033]0;x\007\n' >low/motd
printf 'new\ttext\n' >high/motd
# A program gets the bytes as they are.
runs 0 "$PLYFS" diff -l low motd
grep -q $'\033]0;x\007' out
! grep -q $'\033\[' out
runs 0 "$PLYFS" diff --color=always -l low:high motd
grep -q $'\033\[32m+new' out

need_terminal
script -qec "TERM=xterm '$PLYFS' diff -l low:high motd" typed >/dev/null </dev/null
! grep -q $'\033]' typed || fail 'an escape sequence reaches the terminal'
grep -qF 'title \x1B]0;x\x07' typed
grep -q $'\033\[31m-title' typed && grep -q $'\033\[32m+new\ttext' typed || fail 'no colour'
script -qec "NO_COLOR=1 TERM=xterm '$PLYFS' diff -l low:high motd" typed >/dev/null </dev/null
! grep -q $'\033' typed || fail 'NO_COLOR does nothing'
