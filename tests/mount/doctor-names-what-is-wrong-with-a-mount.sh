#!/bin/bash
# plyfs doctor has a line for each fault of a mount, with its remedy; and none for a mount that is well. A remedy works.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

need python3 pgrep

doctor() {
	local code=0
	timeout -s KILL 120 "$PLYFS" doctor "$@" >out 2>err || code=$?
	[ ! -s err ] || fail "it says: $(cat err)"
	[ $code -eq "$(grep -qx 'Nothing is wrong.' out && echo 0 || echo 1)" ] || fail "it exits with $code: $(cat out)"
}
finds() { grep -qxF -- "$1" out || fail "no '$1' in: $(cat out)"; }
# Whether it finds what it found before there was a mount: this machine's own faults.
is_well() { doctor && cmp -s out machine; }
# On a busy machine a mount may be silent for the two seconds that doctor gives it.
well() { eventually is_well || fail "there is more than $(cat machine): $(cat out)"; }

doctor
cp out machine
cat >plyfs.yaml <<'END'
layers: [low, high]
rules: [{match: '*.conf', check: [grep, -q, good, '%f']}]
END
echo good >low/a.conf
echo 'a: 1' >low/app.yaml
start -c plyfs.yaml mnt
shows mnt/a.conf good
shows mnt/app.yaml 'a: 1'
well
doctor -v
finds "$PWD/mnt: in order"
grep -q "^$PWD/mnt: it has [1-9][0-9]* of [1-9][0-9]* inotify watches" out || fail "$(cat out)"

# A process that is stopped. The status has its remedy.
process=$(pgrep -P "$plyfs_pid" -x plyfs-publish)
kill -STOP "$process"
is_stopped() { doctor && grep -q "^$PWD/mnt: the process plyfs-publish is stopped: .*: kill -CONT $process\$" out; }
eventually is_stopped || fail "$(cat out)"
! grep -q 'plyfs status' out || fail "the process counts twice: $(cat out)"
kill -CONT "$process"
eventually is_well || fail "$(cat out)"

# A file that is not shown as the layers have it.
echo bad >low/a.conf
has_error() { doctor && grep -qxF "$PWD/mnt: it has 1 error, so not everything is as the layers and plyfs.yaml say; plyfs status $PWD/mnt" out; }
eventually has_error || fail "$(cat out)"
echo good >low/a.conf
eventually is_well || fail "$(cat out)"

# A check that was installed when the mount began, and is not any more.
printf '#!/bin/sh\nexit 0\n' >checker
chmod 755 checker
sed -i "s|rules: .|&{match: '*.ini', check: ['$PWD/checker', '%f']}, |" plyfs.yaml
sleep 0.1
eventually is_well || fail "$(cat out)"
mv checker away
doctor
grep -q "^$PWD/plyfs.yaml:2:.*: the program '$PWD/checker' is not installed, so its files are not shown; install it" out || fail "$(cat out)"
# Given settings are examined instead of those of the mount.
doctor low
! grep -q checker out || fail "$(cat out)"
mv away checker
well
stop

# No sandbox, or without a part of it.
for option in nosandbox nolandlock noseccomp; do
	mount_options=noheader,$option start -c plyfs.yaml mnt
	doctor
	grep -q "^$PWD/mnt: a mount option has turned its sandbox off, .*; mount it again without nosandbox" out ||
		fail "$option: $(cat out)"
	stop
done

# An older plyfs. The remedy has a newer one take the mount over.
python3 - "$PLYFS" old <<'END'
import re, subprocess, sys
version = subprocess.run([sys.argv[1], "--version"], capture_output=True, check=True).stdout.split()[1]
text = open(sys.argv[1], "rb").read()
assert b"\0" + version + b"\0" in text
open(sys.argv[2], "wb").write(text.replace(b"\0" + version + b"\0", b"\0" + b"0" * (len(version) - 4) + b".0.1\0"))
END
chmod 755 old
new=$PLYFS
cp -L old plyfs
PLYFS=$PWD/plyfs start -c plyfs.yaml mnt
doctor
version=$("$new" --version)
grep -qx "$PWD/mnt: plyfs 0*[.]0[.]1 serves it, and this is $version, which has mended faults of that; kill -USR2 $plyfs_pid" out ||
	fail "$(cat out)"
cp -L "$new" newer
mv newer plyfs
kill -USR2 "$plyfs_pid"
eventually is_well || fail "the remedy does not work: $(cat out log)"
# An older command does not advise to go back.
./old doctor >out || true
grep -q "^$PWD/mnt: $version serves it, .*may misread its status; use the command of that version" out || fail "$(cat out)"
"$PLYFS" umount mnt
plyfs_pid=

# The plyfs of a mount is dead. The remedy unmounts it.
start -c plyfs.yaml mnt
kill -9 "$plyfs_pid"
eventually has_ended "$plyfs_pid"
wait "$plyfs_pid" 2>/dev/null || true
plyfs_pid=
is_dead() { doctor && grep -qxF "$PWD/mnt: the plyfs that served it has ended, so every access fails; plyfs umount $PWD/mnt" out; }
eventually is_dead || fail "$(cat out)"
"$PLYFS" umount "$PWD/mnt"
well

# A mount that does not answer costs two seconds, and hides no other's fault.
mkdir other
start -c plyfs.yaml other
shows other/a.conf good
echo bad >low/a.conf
make_silent mnt deaf
has_error() { doctor && grep -q "^$PWD/other: it has 1 error" out; }
eventually has_error || fail "$(cat out)"
grep -q "^$PWD/mnt: does not answer for 2 s.*; plyfs umount --force $PWD/mnt\$" out || fail "$(cat out)"
# is_quick SECONDS ARGUMENT...: doctor takes no longer. A busy machine may need several tries.
is_quick() {
	local begin=$SECONDS most=$1
	shift
	doctor "$@"
	took=$((SECONDS - begin))
	[ $took -le "$most" ]
}
eventually is_quick 4 || fail "it takes $took s"
# A layer there does not hold it up either.
eventually is_quick 12 "low:$PWD/mnt" || fail "it takes $took s"
grep -q '^low:.*could not be examined: that took too long; look after its file systems' out || fail "$(cat out)"
umount -fl mnt
stop other

# Another user's status may say anything: no word of it is repeated. Root's own is believed.
cat >lie <<END
{"version": "0.0.1; rm -rf /", "pid": 1, "mountpoint": "$PWD/mnt", "processes": [{"name": "x", "reason": "rm -rf /"}]}
END
MOUNTER=1234 make_silent mnt liar lie
doctor -v
! grep -q 'rm -rf' out || fail "$(cat out)"
finds "$PWD/mnt: another user has mounted it, so its state was not looked at"
umount -fl mnt
make_silent mnt liar lie
believes() { doctor && grep -q 'rm -rf' out; }
eventually believes || fail "$(cat out)"
