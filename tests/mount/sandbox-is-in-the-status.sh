#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
need python3 pgrep
# On a busy machine there may be more than one.
worker() { pgrep -o -P "$plyfs_pid" -x plyfs-worker; }
of() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$(worker)/status"; }

start
shows mnt/app.yaml $'a: 1\nb: 1'
# The status agrees with the kernel.
[ "$(status sandbox no_new_privs)" = True ]
[ "$(of NoNewPrivs)" = 1 ] || fail "it may gain rights"
[ "$((16#$(status sandbox capabilities)))" -eq "$((16#$(of CapPrm)))" ] || fail "it has $(of CapPrm)"
[ "$((16#$(of CapEff) & ~(1 << 1 | 1 << 2 | 1 << 28)))" -eq 0 ] || fail "it has $(of CapEff)"
if [ "$(status sandbox seccomp)" = on ]; then
	[ "$(of Seccomp)" = 2 ] || fail "it has no filter"
fi
[[ $("$PLYFS" status -v mnt) == *"sandbox     Landlock"*"capabilities"* ]] || fail "$("$PLYFS" status mnt)"
if [ "$(status sandbox capabilities)" = 10000004 ]; then
	[[ $("$PLYFS" status -v mnt) == *"capabilities dac_read_search lease" ]] || fail "$("$PLYFS" status mnt)"
fi
# A worker has nothing of the environment.
if [ "$(id -u)" -eq 0 ]; then
	grep -qa 'MOUNT_TOOLS' "/proc/$plyfs_pid/environ" || fail "the twin: the daemon has no environment"
	! grep -qa 'MOUNT_TOOLS' "/proc/$(worker)/environ" || fail "the environment is there still"
fi
stop

mount_options=noheader,nolandlock,noseccomp start
shows mnt/app.yaml $'a: 1\nb: 1'
[ "$(status sandbox landlock)" = off ]
[ "$(status sandbox seccomp)" = off ]
[ "$(of Seccomp)" = 0 ]
[ "$(of NoNewPrivs)" = 1 ]
stop

mount_options=noheader,nosandbox start
shows mnt/app.yaml $'a: 1\nb: 1'
[ "$(status sandbox no_new_privs)" = False ]
[ "$(of NoNewPrivs)" = "$(awk '$1 == "NoNewPrivs:" { print $2 }' /proc/self/status)" ]
stop

# A rendered tree reports it, too.
"$PLYFS" render -l low tree
[[ $("$PLYFS" status -v tree) == *"sandbox     Landlock"* ]]
"$PLYFS" render --no-sandbox -l low tree
[[ $("$PLYFS" status -v tree) == *"no_new_privs off"* ]]
