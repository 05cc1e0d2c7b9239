#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3 getfattr setpriv
mount_options=
chmod 711 .
for name in app secret gone; do
	echo 'a: 1' >low/$name.yaml
	echo 'b: 1' >high/$name.yaml
done
chmod 600 low/secret.yaml
good=$'a: 1\nb: 1'
printf 'layers: [low, high]\noptions: {state: %s/state, header: false}\n' "$PWD" >plyfs.yaml
break_all() { for name in app secret; do echo 'a: [' >low/$name.yaml; done; }
mend_all() { for name in app secret; do echo 'a: 1' >low/$name.yaml; done; }
in_trouble() { [[ $(attribute "mnt/$1" user.plyfs.error) == *"$2"* ]]; }
killed() {
	kill -9 "$plyfs_pid"
	wait "$plyfs_pid" 2>/dev/null || true
	plyfs_pid=
	umount -l mnt 2>/dev/null || true
}
kept() { [ "$(status kept versions)" -eq "$1" ]; }

start -c plyfs.yaml mnt
[ "$(stat -c %a state)" = 700 ] || fail "the state is open to others: $(stat -c %a state)"
cat mnt/app.yaml mnt/secret.yaml mnt/gone.yaml >/dev/null
stat -c '%i %Y %Z %a' mnt/app.yaml >before
"$PLYFS" status mnt | grep -q "$PWD/state" || fail "the status does not name it: $("$PLYFS" status mnt)"

# No other process has it meanwhile.
mkdir other
if "$PLYFS" mount -f -c plyfs.yaml other >told 2>&1; then fail "two mounts have one state"; fi
grep -q "$PWD/state: is in use as the state of another mount" told || fail "it says: $(cat told)"
stop

break_all
start -c plyfs.yaml mnt
shows mnt/app.yaml "$good"
in_trouble app.yaml 'ago is served' || fail "nothing tells it: $(attribute mnt/app.yaml user.plyfs.error)"
stat -c '%i %Y %Z %a' mnt/app.yaml | cmp - before || fail "the same bytes are another file"
if [ "$(id -u)" -eq 0 ]; then
	shows mnt/secret.yaml "$good"
	fails_with 'Permission denied' setpriv --reuid 65534 --regid 65534 --clear-groups -- cat mnt/secret.yaml
fi

# Only plyfs-state has the directory open.
holders() { { find /proc/[0-9]*/fd -lname "$PWD/state*" 2>/dev/null || true; } | cut -d/ -f3 | sort -u; }
[ "$(cat "/proc/$(holders)/comm")" = plyfs-state ] || fail "the directory is open in: $(holders)"

# … which has no right but that of its user, and as the workers a filter of system calls.
right() { grep "^$1:" "/proc/$2/status"; }
writer=$(holders)
[[ $(right CapPrm "$writer") == *0000000000000000 ]] || fail "plyfs-state has $(right CapPrm "$writer")"
[ "$(status sandbox seccomp)" != on ] || [[ $(right Seccomp "$writer") == *2 ]] || fail "plyfs-state has $(right Seccomp "$writer")"

# Again and again, whatever way the mount ended.
eventually kept 3 || fail "what is kept: $(status kept)"
killed
start -c plyfs.yaml mnt
shows mnt/app.yaml "$good"
echo 'a: 2' >low/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 1'
rm low/gone.yaml high/gone.yaml
comes_to_vanish mnt/gone.yaml
eventually kept 2 || fail "what was removed is kept: $(status kept)"
stop
echo 'a: [' | tee low/app.yaml >low/gone.yaml
echo 'b: 1' >high/gone.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 2\nb: 1'
fails_with 'Input/output error' cat mnt/gone.yaml
stop

# … for users who could read it then, also if its directory has been opened since.
if [ "$(id -u)" -eq 0 ]; then
	mkdir -m 700 low/shut high/shut
	echo 'a: 1' >low/shut/key.yaml
	echo 'b: 1' >high/shut/key.yaml
	start -c plyfs.yaml mnt
	comes_to_show mnt/shut/key.yaml "$good"
	stop
	echo 'a: [' >low/shut/key.yaml
	chmod 755 low/shut high/shut
	start -c plyfs.yaml mnt
	shows mnt/shut/key.yaml "$good"
	fails_with 'Permission denied' setpriv --reuid 65534 --regid 65534 --clear-groups -- cat mnt/shut/key.yaml
	rm -r low/shut high/shut
	comes_to_vanish mnt/shut
	stop
fi

# Damaged files are reported, and made anew. An older plyfs's database is left alone, and named.
for file in state/*; do head -c 100000 /dev/zero >"$file"; done
echo old >state/last-good.tdb
start -c plyfs.yaml mnt
grep -q "$PWD/state: 2 of its files could not be read; their last good versions are lost" log ||
	fail "nothing tells of the damage: $(cat log)"
grep -q "$PWD/state: its last-good.tdb is of an older plyfs and is not read; remove it" log ||
	fail "nothing tells of the database: $(cat log)"
[ "$(cat state/last-good.tdb)" = old ] || fail "the database was changed"
fails_with 'Input/output error' cat mnt/app.yaml
mend_all
comes_to_show mnt/app.yaml "$good"
stop
break_all
start -c plyfs.yaml mnt
shows mnt/app.yaml "$good"
stop

# A directory that other users can look into is refused, and so is one that another user's settings name.
chmod 755 state
if "$PLYFS" mount -f -c plyfs.yaml mnt >told 2>&1; then fail "a state that others read is taken"; fi
grep -q "$PWD/state: other users may look into it" told || fail "it says: $(cat told)"
chmod 700 state
chmod 666 plyfs.yaml
if "$PLYFS" mount -f -c plyfs.yaml mnt >told 2>&1; then fail "anybody's settings have a state written"; fi
grep -q 'plyfs.yaml:2:18: .*chmod go-w' told || fail "it says: $(cat told)"
chmod 644 plyfs.yaml

# Without `state` nothing outlives the mount.
sed -i 's/state: [^,]*, //' plyfs.yaml
start -c plyfs.yaml mnt
fails_with 'Input/output error' cat mnt/app.yaml
stop
