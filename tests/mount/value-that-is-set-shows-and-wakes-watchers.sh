#!/bin/bash
. "$(dirname "$0")/mount.sh"

printf 'server:\n  port: 80  # the default\n  tls: true\n' >low/app.yaml
printf '# ours\nlog: debug\n' >high/app.yaml
start
shows mnt/app.yaml $'server:\n  port: 80\n  tls: true\nlog: debug'

# By its path in the mount; watchers see a save like any other.
watch mnt mnt/app.yaml
"$PLYFS" set mnt/app.yaml server.port 8080 >out
[[ $(cat out) == *'high/app.yaml:'*': server.port: 80 -> 8080 (overrides '*'low/app.yaml:2)' ]] || fail "$(cat out)"
comes_to_show mnt/app.yaml $'server:\n  port: 8080\n  tls: true\nlog: debug'
comes_event '^mnt/ MOVED_TO'
unwatch
[ "$(grep '^mnt/ ' events)" = 'mnt/ MOVED_TO app.yaml' ] || fail "the events were: $(cat events)"
[ "$(head -1 high/app.yaml)" = '# ours' ] || fail "the comment is lost: $(cat high/app.yaml)"

"$PLYFS" unset mnt/app.yaml server.tls >out
comes_to_show mnt/app.yaml $'server:\n  port: 8080\nlog: debug'
EDITOR='sed -i s/8080/9090/' "$PLYFS" edit mnt/app.yaml >out
comes_to_show mnt/app.yaml $'server:\n  port: 9090\nlog: debug'

# By the source, which leads to the mount; and into a directory that is new.
watch mnt
"$PLYFS" set high/app.yaml log info >out
comes_to_show mnt/app.yaml $'server:\n  port: 9090\nlog: info'
comes_event 'MOVED_TO app.yaml'
unwatch
mkdir low/sub
echo 'a: 1' >low/sub/x.yaml
comes_to_exist mnt/sub/x.yaml
"$PLYFS" set mnt/sub/x.yaml b 2 >out
comes_to_show mnt/sub/x.yaml $'a: 1\nb: 2'

# The twin: setting the value that is there wakes no watcher, and a refused change changes nothing.
watch mnt mnt/app.yaml
"$PLYFS" set mnt/app.yaml log info >out
[ "$(cat out)" = 'nothing changes: it is so already' ] || fail "$(cat out)"
! "$PLYFS" set -L low mnt/app.yaml log warn 2>err || fail 'a layer below the winner was changed'
grep -q "the layer 'high' is higher and sets it" err || fail "$(cat err)"
unwatch
saw_no_events
