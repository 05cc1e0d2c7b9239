#!/bin/bash
. "$(dirname "$0")/mount.sh"
# The daemon may be killed, lose events, or get no descriptors or watches: readers of a rendered tree see whole files
# and miss none. In the end the tree is what a fresh mount shows.

need python3 prlimit
limit_watches
limit_before=$(cat "$limit")
lines_of() { printf "k%s: $1\n" $(seq 40); }
for i in $(seq 20); do
	mkdir -p low/d$i
	lines_of 0 >low/d$i/app.yaml
done
echo 'h: 1' >high/top.yaml

# Each file has one number, in forty lines, and is always there.
cat >read.py <<'END'
import os, re, sys
number = 0
while not os.path.exists("over"):
    number += 1
    path = f"out/d{number % 20 + 1}/app.yaml"
    with open(path) as file:
        text = file.read()
    found = re.findall(r"^k\d+: (\d+)$", text, re.M)
    if len(found) != 40 or len(set(found)) != 1:
        sys.exit(f"{path} is {text!r}")
END
cat >write.py <<'END'
import os, sys
number = int(sys.argv[1])
for turn in range(int(sys.argv[2])):
    number += 1
    with open("staged", "w") as file:
        file.writelines(f"k{key}: {number}\n" for key in range(1, 41))
    os.rename("staged", f"low/d{number % 20 + 1}/app.yaml")
END
render() {
	"$PLYFS" render --watch --no-header -l low:high out 2>>log.render &
	render_pid=$!
}
render
same() { diff -r --no-dereference -x .plyfs mnt out >difference 2>&1; }
comes_to_equal_mount() {
	kill -0 "$reader_pid" 2>/dev/null || fail "$1: a reader says: $(cat reader)"
	kill -0 "$render_pid" 2>/dev/null || fail "$1: it ended: $(cat log.render)"
	"$PLYFS" mount -o noheader low:high mnt
	eventually same || fail "$1: it differs from a mount: $(head -50 difference)"
	unmount mnt
}
# By their names, d20 comes before d3.
is_whole() { ls out/d{1..20}/app.yaml >/dev/null 2>&1; }
eventually is_whole || fail "it does not begin: $(cat log.render)"
python3 read.py 2>reader &
reader_pid=$!
comes_to_equal_mount 'at the start'

# It is killed at any moment.
for kill in $(seq 15); do
	python3 write.py $((kill * 1000)) 200 &
	writer=$!
	sleep "0.0$((RANDOM % 90 + 10))"
	kill -9 $render_pid
	wait $render_pid 2>/dev/null || true
	wait $writer
	render
done
comes_to_equal_mount 'killed'

# The daemon sleeps, and more happens than the kernel queues for it.
events=$(cat /proc/sys/fs/inotify/max_queued_events)
if [ "$events" -le 50000 ]; then
	kill -STOP $render_pid
	python3 - "$events" <<'END'
import os, sys
for number in range(int(sys.argv[1]) // 2 + 1000):
    path = f"low/d1/noise{number % 2}.yaml"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
    os.unlink(path)
END
	python3 write.py 20000 50
	rm high/top.yaml
	mkdir high/made
	echo 'm: 1' >high/made/new.yaml
	kill -CONT $render_pid
	comes_to_equal_mount 'with events lost'
	overflows=$(python3 -c 'import json; print(json.load(open("out/.plyfs/status"))["overflows"])')
	[ "$overflows" -ge 1 ] || fail "nothing was lost: this proves nothing"
fi

# No descriptor is left.
used=$(ls /proc/$render_pid/fd | wc -l)
prlimit --pid "$render_pid" --nofile=$((used + 1)):1024
python3 write.py 30000 100
mkdir low/during
lines_of 1 >low/during/app.yaml
sleep 1
prlimit --pid "$render_pid" --nofile=1024:1024
comes_to_equal_mount 'with no descriptors'

# No watch is left for new directories.
echo 1 >"$limit"
kill -TERM $render_pid
wait $render_pid || fail "it ended with $?: $(cat log.render)"
printf 'layers: [low, high]\noptions: {poll_interval: 100ms, header: false}\n' >plyfs.yaml
"$PLYFS" render --watch -c plyfs.yaml out 2>>log.render &
render_pid=$!
python3 write.py 40000 100
rm -r low/during
mkdir -p high/later/sub
lines_of 2 >high/later/sub/app.yaml
eventually cmp -s high/later/sub/app.yaml out/later/sub/app.yaml || fail "with no watches: nothing comes: $(cat log.render)"
echo "$limit_before" >"$limit"
comes_to_equal_mount 'with no watches'

touch over
wait $reader_pid || fail "a reader says: $(cat reader)"
kill -TERM $render_pid
wait $render_pid || fail "it ended with $?: $(cat log.render)"
[ -z "$(ls -A out/.plyfs/stage)" ] || fail "something is left: $(ls -A out/.plyfs/stage)"
! dirty_log log.render || fail 'it is not clean'
