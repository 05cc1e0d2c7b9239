#!/bin/bash
. "$(dirname "$0")/mount.sh"
# If a process waits for an answer of its own mount and is killed, it must not keep the mount alive. KILLS=200 tries
# more often.

need_root
need python3
kills=${KILLS:-25}
names=20
loops=()

stop_loops() {
	[ ${#loops[@]} -eq 0 ] || kill -9 "${loops[@]}" 2>/dev/null || true
}
at_end 'stop_loops; umount -f mnt 2>/dev/null'

# within COMMAND...: it succeeds within a minute. A process that hangs in a mount gets no signal: it is left behind, and
# released by `umount -f`.
within() {
	local limit=$((SECONDS + 60)) pid
	"$@" >said 2>&1 &
	pid=$!
	while ! has_ended $pid; do
		[ $SECONDS -lt $limit ] || fail "kill $kill: '$*' hangs"
		sleep 0.005
	done
	wait $pid || fail "kill $kill: '$*' fails: $(cat said)"
}

# On a busy machine a killed process may take longer to end than the command waits: then it is tried again.
mount_again() {
	"$PLYFS" mount -o noheader low:high mnt && return
	grep 'does not answer' said && eventually has_ended "$1" && "$PLYFS" mount -o noheader low:high mnt
}

for name in $(seq $names); do
	echo "a: 0" | tee "low/$name.yaml" >"high/$name.yaml"
done

# New names need an answer of the mount; the kernel's cache does not have them.
cat >read.py <<'END'
import os
number = 0
while True:
    number += 1
    for look in (lambda: open(f"mnt/{number % 20 + 1}.yaml").read(), lambda: os.stat(f"mnt/none-{os.getpid()}-{number}")):
        try:
            look()
        except OSError:
            pass
END
cat >write.py <<'END'
import os
number = 0
while True:
    number += 1
    with open("staged", "w") as file:
        file.write(f"a: {number}\n")
    os.rename("staged", f"high/{number % 20 + 1}.yaml")
END

kill=0
within "$PLYFS" mount -o noheader low:high mnt
for loop in read read write; do
	python3 $loop.py &
	loops+=($!)
done
for kill in $(seq "$kills"); do
	within ls mnt
	within "$PLYFS" status mnt
	killed=$(status pid)
	# Time for the daemon to be busy: some microseconds to some milliseconds.
	sleep "0.0$((RANDOM % 100 + 10))"
	kill -9 "$killed"
	within mount_again "$killed"
	[ "$(grep -cF " $directory/mnt " /proc/self/mountinfo)" -eq 1 ] || fail "kill $kill: the dead mount is still there"
done
stop_loops
plyfs_pid=$(status pid)
echo "a: last" | replace high/1.yaml
comes_to_show mnt/1.yaml "a: last"
unmount mnt
eventually has_ended "$plyfs_pid" || fail "plyfs does not end"
plyfs_pid=
