#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/mnt low/mnt/under
echo 'a: 1' | tee low/app.yaml low/mnt/under/app.yaml >/dev/null
start low:high low/mnt
shows low/mnt/app.yaml 'a: 1'
# A layer is the directory on its own file system, without what plyfs has mounted into it.
timeout 60 find low/mnt >found || fail "find does not end"
[ "$(wc -l <found)" -le 5 ] || fail "it is endless: $(head found)"
timeout 5 cat low/mnt/mnt/app.yaml >/dev/null 2>&1 && fail "we show ourselves in ourselves"
echo 'a: 2' >low/app.yaml
comes_to_show low/mnt/app.yaml 'a: 2'
stop low/mnt
