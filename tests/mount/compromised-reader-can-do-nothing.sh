#!/bin/bash
. "$(dirname "$0")/mount.sh"

# This plyfs has a YAML reader that obeys the sources (compromise.c).
PLYFS=$MOUNT_TOOLS/compromised
need_root
need python3 setpriv

mkdir elsewhere
echo secret >secret
chmod 600 secret
echo 'a: 1' >low/plain.yaml
cp /bin/true program
sleep 1000 >/dev/null 2>&1 </dev/null &
victim=$!
# A victim without capabilities: the daemon has fewer capabilities than another process of root, and that alone would
# keep it from tracing that one.
setpriv --bounding-set=-all --inh-caps=-all sleep 1001 >/dev/null 2>&1 </dev/null &
tame=$!
python3 -c '
import socket, sys
tcp = socket.create_server(("127.0.0.1", 0))
unix = socket.socket(socket.AF_UNIX)
unix.bind("\0plyfs-test-%d" % tcp.getsockname()[1])
unix.listen()
print(tcp.getsockname()[1], flush=True)
while True:
    tcp.accept()' >port 2>server-log </dev/null &
eventually test -s port
port=$(cat port)

# Since its version 6, Landlock itself refuses signals to processes outside of the domain.
start
kill=done
[ "$(status sandbox landlock_abi)" -lt 6 ] || kill=EPERM
stop

# WHAT ARGUMENT, and the error of the attempt with all protections, without Landlock, and without the filter. If an
# attempt succeeds without one of them, that is "done".
cat >attempts <<END
read $directory/secret EACCES done EACCES
read /etc/shadow EACCES done EACCES
read /proc/$victim/environ EACCES EACCES EACCES
open /proc/$tame/mem EACCES done EACCES
write $directory/low/plain.yaml EACCES done EACCES
create $directory/low/new.yaml EACCES done EACCES
create $directory/elsewhere/new EACCES done EACCES
execute $directory/program EPERM EPERM EACCES
fork - EPERM EPERM done
connect $port EPERM EPERM EACCES
abstract plyfs-test-$port EPERM EPERM EPERM
ptrace $tame EPERM EPERM EPERM
kill $victim EPERM EPERM $kill
signal $victim EPERM EPERM done
limit $victim EPERM EPERM done
processor $tame EPERM EPERM done
mount $directory/elsewhere EPERM EPERM EPERM
code - EPERM EPERM done
environment PLYFS_SECRET ENOENT ENOENT ENOENT
events read EPERM EPERM done
events dup EPERM EPERM done
events fcntl EPERM EPERM done
events high EPERM EPERM done
events high-fcntl EPERM EPERM done
unwatch $directory/low EPERM EPERM done
END
# The leak checker stops all threads as a debugger does: a build that has it may do that much.
! grep -qaE __asan_init "$PLYFS" || sed -i '/^\(fork\|code\|ptrace\) /d' attempts
while read -r what argument _; do
	echo "# attempt: $what $argument"
done <attempts >low/app.yaml
echo 'a: 1' >>low/app.yaml
echo 'b: 2' >high/app.yaml
export PLYFS_SECRET=secret

# expect OPTIONS COLUMN: each attempt had the result in that column.
expect() {
	local what argument wanted
	: >log
	mount_options=$1 start
	shows mnt/app.yaml $'a: 1\nb: 2'
	while read -r what argument wanted; do
		wanted=$(awk -v n="$2" '{ print $n }' <<<"$what $argument $wanted")
		grep -qxF "attempt $what $argument: ${wanted:-done}" log ||
			fail "with '$1', not $wanted, but: $(grep -F "attempt $what $argument:" log)"
	done <attempts
	rm -f elsewhere/new low/new.yaml
	stop
}

# The reader of a rendering: it can't write where the rendering does.
mkdir out
cp low/app.yaml app.yaml
printf '# attempt: %s\n' "write $directory/out/app.yaml" "create $directory/out/new" "create $directory/new" >low/app.yaml
echo 'a: 1' >>low/app.yaml
"$PLYFS" render -l low:high out 2>log || fail "it is not rendered: $(cat log)"
grep -q 'b: 2' out/app.yaml
# Otherwise, what has not changed for a while is not read again.
touch low/app.yaml
"$PLYFS" render -l low:high out 2>log || fail "it is not rendered again: $(cat log)"
for tried in "write $directory/out/app.yaml" "create $directory/out/new" "create $directory/new"; do
	grep -qxF "attempt $tried: EACCES" log || fail "not refused: $(cat log)"
done
touch low/app.yaml
"$PLYFS" render --no-sandbox -l low:high out 2>log || fail "it is not rendered without the sandbox: $(cat log)"
grep -qxF "attempt create $directory/new: done" log || fail "the twin fails: $(cat log)"
mv app.yaml low/app.yaml

expect noheader 3
expect noheader,nolandlock 4
expect noheader,noseccomp 5
# The twin: without the sandbox each attempt succeeds.
sed -i 's/\( [^ ]*\) .*/\1/' attempts
expect noheader,nosandbox 3
