#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
for i in $(seq 200); do echo "key$i: a value of some length, as in a real file"; done >low/app.yaml
echo 'key7: other' >high/app.yaml
start

"$MOUNT_TOOLS/reader" 10 mnt/app.yaml
# Without FORGET requests for earlier lookups, which come at any time.
total() {
	python3 -c '
import json
requests = json.load(open("mnt/.plyfs/status"))["requests"]
print(requests["total"] - requests["forget"])'
}
# The second call shows how many requests a call itself makes.
total >/dev/null
first=$(total)
second=$(total)
"$MOUNT_TOOLS/reader" 10000 mnt/app.yaml
third=$(total)
[ $((third - second)) -eq $((second - first)) ] ||
	fail "10,000 warm reads made $((third - second - second + first)) requests"

# They are answered also while the daemon can't answer.
kill -STOP "$plyfs_pid"
timeout 10 "$MOUNT_TOOLS/reader" 10000 mnt/app.yaml || stuck=yes
kill -CONT "$plyfs_pid"
[ -z "${stuck:-}" ] || fail "a warm read waits for the daemon"
