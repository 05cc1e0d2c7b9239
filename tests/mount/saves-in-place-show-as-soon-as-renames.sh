#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A save in place (>, cp, nano) must not wait until the file has been quiet for 50 ms: the close is enough. A few may be
# late, because the machine has other things to do: as many as renames are, which are made by turns with them.
need python3
echo 'x: 0' >low/app.yaml
echo 'y: 0' >high/app.yaml
start
python3 - <<'END' || fail "saves in place are late"
import math, os, sys, time
late, rounds = {"saves": 0, "renames": 0}, 200
for number in range(1, 2 * rounds + 1):
    time.sleep(0.005)
    kind = "saves" if number % 2 else "renames"
    with open("high/app.yaml" if kind == "saves" else "beside", "w") as file:
        file.write(f"y: {number}\n")
    if kind == "renames":
        os.rename("beside", "high/app.yaml")
    end, wanted = time.monotonic(), f"y: {number}\n"
    while wanted not in open("mnt/app.yaml").read():
        if time.monotonic() > end + 60:
            sys.exit(f"{wanted} does not come")
    late[kind] += time.monotonic() > end + 0.045
print(f"of {rounds} each took 45 ms or more: {late}")
# On a busy machine a save has one more chance to be late, and by chance the numbers differ by a few roots.
sys.exit(late["saves"] > rounds * 0.05 + 2 * late["renames"] + 4 * math.sqrt(late["renames"]))
END
