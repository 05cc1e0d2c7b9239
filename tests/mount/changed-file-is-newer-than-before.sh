#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
touch -d '2001-01-01' low/app.yaml
touch -d '2002-02-02' high/app.yaml
start
[ "$(stat -c %Y mnt/app.yaml)" = "$(date -d 2002-02-02 +%s)" ] || fail "the time is $(stat -c %y mnt/app.yaml)"
stat -c %.9Y mnt/app.yaml >before
rm high/app.yaml
comes_to_show mnt/app.yaml 'a: 1'
stat -c %.9Y mnt/app.yaml >after
cmp -s before after && fail "the time is the same"
[ "$(sort -n before after | tail -1)" = "$(cat after)" ] ||
	fail "it was $(cat before) and is $(cat after)"
