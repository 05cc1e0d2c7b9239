#!/bin/bash
. "$(dirname "$0")/mount.sh"
# An ordinary user's mount is published by its own path. If the user unmounts it meanwhile with plyfs umount, it is not
# reported as busy. A mount that a program uses is.

need python3
need_ordinary_user
cat >change.py <<'END'
import os
number = 0
while True:
    number += 1
    name = f"low/{number % 40}.yaml"
    with open("low/new~", "w") as file:
        file.write(f"a: {number}\n")
    os.rename("low/new~", name)
END
for name in $(seq 0 39); do echo 'a: 0' >low/$name.yaml; done
publishes() { ! as_user grep -q '"published": 0,' mnt/.plyfs/status; }
for ((cycle = 1; cycle <= 20; cycle++)); do
	as_user "$PLYFS" mount low:high mnt
	as_user bash -c 'cat mnt/*.yaml' >/dev/null
	python3 change.py &
	changer=$!
	eventually publishes || fail "nothing is published"
	code=0
	as_user "$PLYFS" umount mnt 2>message || code=$?
	kill -9 $changer
	wait $changer 2>/dev/null || true
	[ $code -eq 0 ] || fail "cycle $cycle: $(cat message)"
done
as_user "$PLYFS" mount low:high mnt
(cd mnt && as_user "$PLYFS" umount "$directory/mnt") 2>message && fail "it was unmounted under who works in it"
grep -q busy message || fail "it says: $(cat message)"
as_user "$PLYFS" umount mnt
