#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/systemd.sh"

# During a restart no process answers in the mount. If systemd itself reads a file there meanwhile, for a unit's
# EnvironmentFile=, then it can't start plyfs. So the mount ends after a while, and is made anew.
touch go
start_systemd "ExecStartPre=sh -c 'sleep 2; until [ -e $directory/go ]; do sleep 0.1; done'"
printf 'layers: [%s/low]\noptions: {header: false}\n' "$directory" >"$settings"
printf 'A=1\n' >low/app.env
rmdir mnt
printf '%s\n' '[Unit]' DefaultDependencies=no '[Service]' Type=oneshot "EnvironmentFile=$directory/mnt/app.env" \
	ExecStart=/bin/true >units/reader.service
inside cp "$directory/units/reader.service" /run/units/
inside systemctl daemon-reload
inside systemctl start "$unit"
inside systemctl start reader.service

# Without such a unit, nothing is lost, and no process stays.
inside systemctl restart "$unit"
is_alone() { ! inside pgrep -x '\(plyfs-left\)' >/dev/null; }
eventually is_alone || fail "a process goes on"
inside cat "$directory/mnt/.plyfs/status" >/dev/null

left() { grep -c 'is left to the plyfs' log; }
is_left() { [ "$(left)" = 2 ]; }
rm go
inside systemctl restart --no-block "$unit"
eventually is_left || fail "it is not restarted"
! inside systemctl start reader.service 2>reader || fail "systemd has read a file that no process could show"
touch go
eventually grep -q 'something that it needs waited for it' log || fail "nobody says why: $(cat log)"
is_shown() { [ "$(inside cat "$directory/mnt/app.env" 2>/dev/null)" = A=1 ]; }
eventually is_shown || fail "it is not mounted again"
inside systemctl start reader.service
