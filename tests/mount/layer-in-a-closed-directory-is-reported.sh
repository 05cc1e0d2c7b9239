#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A mount shows other users files that they can't reach themselves, as a bind mount would. plyfs reports that once.
told="other users can't search this directory, but a mount shows them the layer"
mkdir -p closed/low closed/high
chmod 700 closed
start "$PWD/closed/low:$PWD/closed/high" mnt
[ "$(grep -cF "$PWD/closed: $told" log)" -eq 1 ] || fail "it says: $(cat log)"
stop

start -o private "$PWD/closed/low:$PWD/closed/high" mnt
stop
chmod 755 closed
start "$PWD/closed/low:$PWD/closed/high" mnt
stop
[ "$(grep -cF "$told" log)" -eq 1 ] || fail "it says: $(cat log)"
