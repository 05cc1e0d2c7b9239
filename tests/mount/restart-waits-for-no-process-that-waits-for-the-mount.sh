#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/systemd.sh"

# During a restart no process answers in the mount. So plyfs-publish stands in no call on the mount then, even if
# systemd waits for the end of all processes. And it waits for none that can't end, as one that waits for a layer.
need python3
start_systemd KillMode=control-group
printf 'layers: [%s/low]\noptions: {header: false}\n' "$directory" >"$settings"
printf 'a: 1\n' >low/app.yaml
rmdir mnt
inside systemctl start "$unit"

# restart TEXT: restarts plyfs, and app.yaml must then have that text.
restart() {
	SECONDS=0
	inside systemctl restart "$unit" || fail "it does not end"
	[ $SECONDS -lt 30 ] || fail "the restart took $SECONDS s"
	[ "$(inside cat "$directory/mnt/app.yaml")" = "$1" ] || fail "what changed does not show"
}

# Held up between the rename and its last call, while systemd restarts plyfs.
publish_process() { pgrep -P "$(pgrep -P "$init" -x plyfs)" -x plyfs-publish; }
eventually publish_process >/dev/null || fail "there is no process that publishes"
publisher=$(publish_process)
python3 "$(dirname "$test_file")/hold_call.py" "$publisher" 1 >holding 2>&1 &
eventually grep -qs ready holding || fail "it can't be traced: $(cat holding)"
printf 'a: 2\n' | replace low/app.yaml
eventually grep -qs held holding || fail "it makes no such call: $(cat holding)"
restart 'a: 2'

# The unit as it is installed. A process of the unit does not end.
sed -i '/^KillMode=/d' units/plyfs@.service.d/test.conf
inside cp "$directory/units/plyfs@.service.d/test.conf" /run/units/plyfs@.service.d/test.conf
inside systemctl daemon-reload
inside python3 -c '
import os, signal, sys, time
for number in signal.SIGUSR1, signal.SIGTERM:
    signal.signal(number, signal.SIG_IGN)
with open("/sys/fs/cgroup" + sys.argv[1] + "/cgroup.procs", "w") as processes:
    print(0, file=processes)
print(os.getpid(), flush=True)
time.sleep(250)' "$(property ControlGroup)" >standing 2>&1 &
eventually grep -qs '^[0-9]*$' standing || fail "it can't be put into the unit: $(cat standing)"
restart 'a: 2'
inside kill -KILL "$(cat standing)" || fail "systemd has ended the process"
