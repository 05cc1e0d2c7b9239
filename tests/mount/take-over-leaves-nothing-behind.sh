#!/bin/bash
# TAKE_OVERS=300 takes the mount over that often.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# Under readers and a changer, each take-over is by the same process, with as many descriptors, children and watches as
# the one before. No reader sees an error or an old value, and watchers get one event for each change.
need python3 ps
need_root
mkdir low/d
echo 'number: 0' | tee low/d/0.yaml >low/d/1.yaml
start_replaceable
cat mnt/d/*.yaml >/dev/null
watch mnt/d
cat >load.py <<'END'
import os, sys, time
what = sys.argv[1]

def number(name):
    with open(f"mnt/d/{name}.yaml") as file:
        return int(file.read().split()[1])

count, longest = 0, 0
while not os.path.exists("enough"):
    began = time.monotonic()
    if what == "change":
        count += 1
        # By turns: the kernel merges equal events that follow each other.
        with open("new", "w") as file:
            file.write(f"number: {count}\n")
        os.rename("new", f"low/d/{count % 2}.yaml")
        while number(count % 2) != count:
            assert time.monotonic() - began < 60, "a change does not show"
            time.sleep(0.001)
        with open("shown.new", "w") as file:
            file.write(str(count))
        os.rename("shown.new", "shown")
        continue
    shown = int(open("shown").read())
    seen = number(shown % 2)
    assert seen >= shown, f"{seen} after {shown}"
    assert not os.path.exists(f"mnt/d/absent-{what}-{count}")
    longest = max(longest, time.monotonic() - began)
    count += 1
print(count, int(longest * 1000))
END
echo 0 >shown
jobs=()
for what in change 1 2 3; do
	python3 load.py $what >"load-$what" 2>&1 &
	jobs+=($!)
done

# What the daemon has, when it is quiet: descriptors by kind, children by name, and watches.
possessions() {
	readlink "/proc/$plyfs_pid/fd/"* | sed 's/[0-9]\{2,\}/N/; s/plyfs-state.*/versions/' | sort | uniq -c
	ps -o stat=,comm= --ppid "$plyfs_pid" | sed 's/^\(.\)[^ ]*/\1/; s/^[SRD]/runs/' | sort | uniq -c
	cat "/proc/$plyfs_pid/fdinfo"/* | grep -c '^inotify'
}
quiet() {
	kill -STOP "${jobs[0]}"
	sleep 1.5
	cat mnt/d/*.yaml >/dev/null
	possessions >"$1"
	kill -CONT "${jobs[0]}"
}
# A busy machine has more workers at times. A new process begins without.
rest() {
	renewed
	quiet "$1"
}
renewed
rest first
is_usual() {
	rest second
	diff first second >/dev/null || { mv second first && return 1; }
}
eventually is_usual || fail "it is different each time: $(cat first)"
for ((i = 0; i < ${TAKE_OVERS:-20}; i++)); do
	renewed
done
is_as_before() {
	rest last
	diff first last >/dev/null
}
eventually is_as_before || true
touch enough
for job in "${jobs[@]}"; do
	wait "$job" || fail "$(cat load-*)"
done
diff first last || fail "there is more or less than before"
read -r changes _ <load-change
have_come() { [ "$(grep -c 'MOVED_TO [01].yaml' events)" -ge "$changes" ]; }
eventually have_come || true
unwatch
[ "$(grep -c 'MOVED_TO [01].yaml' events)" -eq "$changes" ] || fail "$changes changes, but $(grep -c MOVED_TO events) events"
[ "$(wc -l <events)" -eq "$changes" ] || fail "there are other events: $(sort events | uniq -c)"
echo "$changes changes; reads, and the longest in ms: $(cat load-[123] | tr '\n' ';')"
stop
