#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A save in place (>, cp, nano) must not wait until the file has been quiet for 50 ms: the close is enough. A few may be
# late, because the machine has other things to do.
need python3
echo 'x: 0' >low/app.yaml
echo 'y: 0' >high/app.yaml
start
python3 - <<'END' || fail "saves in place are late"
import os, sys, time
late, rounds = 0, 200
for number in range(1, rounds + 1):
    time.sleep(0.005)
    with open("high/app.yaml", "w") as file:
        file.write(f"y: {number}\n")
    end, wanted = time.monotonic(), f"y: {number}\n"
    while wanted not in open("mnt/app.yaml").read():
        if time.monotonic() > end + 10:
            sys.exit(f"{wanted} does not come")
    late += time.monotonic() > end + 0.045
print(f"{late} of {rounds} took 45 ms or more")
sys.exit(late > rounds * 0.05)
END
