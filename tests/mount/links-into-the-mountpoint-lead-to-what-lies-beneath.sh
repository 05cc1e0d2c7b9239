#!/bin/bash
# The mount lies on a layer whose links lead to the mountpoint. The daemon follows them beneath the mount. Through the
# mount it would wait for answers of its own.
. "$(dirname "$0")/mount.sh"

need python3
mkdir -p mnt/real
for ((i = 0; i < 100; i++)); do
	mkdir mnt/real/s$i mnt/d$i
	echo "k: $i" >mnt/real/s$i/t.yaml
	ln -s "$PWD/mnt/real/s$i/t.yaml" mnt/d$i/l.yaml
done
ln -s "$PWD/mnt" mnt/self
ln -s "$PWD/mnt/real/s1" mnt/way
ln -s way/t.yaml mnt/by-way.yaml
ln -s "$PWD/mnt/../mnt//real/../real/s2/t.yaml" mnt/up.yaml
# Names that the mount does not show are beneath it all the same.
cat >plyfs.yaml <<YAML
layers: [{name: base, path: $PWD/mnt, follow: true, exclude: [real, self]}]
options: {header: false}
YAML
start -c plyfs.yaml mnt
shows mnt/d7/l.yaml 'k: 7'
shows mnt/by-way.yaml 'k: 1'
shows mnt/up.yaml 'k: 2'

# It is live, and no reader waits for ever, however many read at once.
timeout 60 python3 - <<'E' || fail "those who look wait for ever"
import os, threading

def look(first):
    for i in range(100):
        os.stat(f"mnt/d{(i * 16 + first) % 100}/l.yaml")

threads = [threading.Thread(target=look, args=(first,)) for first in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
E
stop
echo 'k: 8' >mnt/real/s7/t.yaml
start -c plyfs.yaml mnt
shows mnt/d7/l.yaml 'k: 8'
stop
