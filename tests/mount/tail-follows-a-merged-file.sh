#!/bin/bash
. "$(dirname "$0")/mount.sh"

# On FUSE, tail(1) does not use inotify: it checks each second, and opens the name anew when it has seen no change five
# times.
printf 'one\n' >low/journal
start
tail -n +1 -F mnt/journal >followed 2>/dev/null &
watcher_pid=$!
has_line() { grep -qx "$1" followed; }
eventually has_line one || fail "tail does not begin"

printf 'two\n' >>low/journal
comes_to_show mnt/journal $'one\ntwo'
eventually has_line two || fail "what is appended is not followed: $(cat followed)"
kill "$watcher_pid"
wait "$watcher_pid" 2>/dev/null || true
watcher_pid=
