#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
echo 'a: 0' >low/app.yaml
echo 'b: 0' >high/app.yaml
start
cat >poller.py <<'END'
import os, sys
seen, last, is_over = {}, None, False
while not is_over:
    is_over = os.path.exists("over")
    fd = os.open("mnt/app.yaml", os.O_RDONLY)
    stat = os.fstat(fd)
    text = os.read(fd, 65536)
    os.close(fd)
    now = (stat.st_mtime_ns, stat.st_ino)
    assert len(text) == stat.st_size, f"{len(text)} bytes are read of {stat.st_size}"
    assert seen.setdefault(now, text) == text, f"{now} is both {seen[now]} and {text}"
    if last is not None and text != last[1]:
        assert now[0] > last[0][0], f"the time goes from {last[0]} to {now}"
        assert now[1] != last[0][1], f"the inode stays {now[1]}"
    else:
        assert last is None or now == last[0], f"the same content is {last[0]} and then {now}"
    last = (now, text)
    if len(seen) == 5:
        open("has-seen-some", "w").close()
print(len(seen), last[1].decode().replace("\n", " "))
END
python3 poller.py >result 2>&1 &
poller=$!
# It is to see some of the states, also if it gets no processor for a while.
i=0
until [ $i -ge 40 ] && [ -e has-seen-some ]; do
	i=$((i + 1))
	[ $i -lt 2000 ] || fail "it has seen nothing of 2000 changes: $(cat result)"
	echo "a: $i" | replace low/app.yaml
	# An old file, as a package has it, and one whose time is set afterwards.
	echo "b: $i" >high/app.yaml
	touch -d "2001-01-01 00:00:$((i % 60))" high/app.yaml
	sleep 0.01
done
comes_to_show mnt/app.yaml "a: $i"$'\n'"b: $i"

# A change that leaves the bytes the same changes nothing that a poller sees.
touch low/app.yaml high/app.yaml
echo "a: $i" | replace low/app.yaml
sleep 0.3
touch over
wait $poller || fail "the poller says: $(cat result)"
read -r states text <result
[ "$text" = "a: $i b: $i " ] || [ "$text" = "a: $i b: $i" ] || fail "it saw last: $text"
[ "$states" -ge 5 ] || fail "it saw only $states states"
