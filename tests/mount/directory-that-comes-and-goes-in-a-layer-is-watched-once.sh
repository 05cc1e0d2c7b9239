#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
mkdir low/d
printf 'layers: [low, high]\noptions: {coherence: strict}\n' >plyfs.yaml
start -c plyfs.yaml mnt
before=$(status watches count)

# Four readers look at it while it comes and goes: each of them finds at times that it must be watched.
python3 - <<'END'
import os, time
end = time.monotonic() + 5
for _ in range(4):
    if os.fork() == 0:
        while time.monotonic() < end:
            os.stat("mnt/d")
        os._exit(0)
while time.monotonic() < end:
    os.mkdir("high/d")
    time.sleep(0.0003)
    os.rmdir("high/d")
    time.sleep(0.0002)
for _ in range(4):
    if os.wait()[1] != 0:
        raise SystemExit("a look at a directory that is there has failed")
END
kill -0 "$plyfs_pid" || fail "plyfs has died"
settled() { [ "$(status watches count)" -le $((before + 1)) ]; }
eventually settled || fail "of $before, there are now $(status watches count) watches"

mkdir high/d
echo 'x: 1' >high/d/app.yaml
comes_to_show mnt/d/app.yaml 'x: 1'
