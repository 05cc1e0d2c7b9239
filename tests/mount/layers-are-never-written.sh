#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir -p low/dir high/dir
echo 'a: 1' | tee low/app.yaml low/dir/x.yaml >/dev/null
echo 'b: 1' | tee high/app.yaml high/dir/x.yaml >/dev/null
echo 'broken: [' >high/broken.yaml
ln -s app.yaml low/link
facts() { find low high -printf '%p %y %m %U %G %s %T@ %C@ %l\n' | sort; find low high -type f | sort | xargs sha256sum; }
facts >before
start
find mnt -type f -exec cat {} + >/dev/null 2>&1 || true
touch mnt/app.yaml mnt/new 2>/dev/null || true
rm -rf mnt/dir 2>/dev/null || true
getfattr -R -d mnt >/dev/null 2>&1 || true
"$PLYFS" status mnt >/dev/null
stop
facts >after
diff before after || fail "a layer was written"
