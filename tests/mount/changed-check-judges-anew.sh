#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr pgrep
with() {
	printf '%s\n' 'layers: [low, high]' 'rules:' " - {match: app.yaml, $1}" | replace plyfs.yaml
}
with 'strategy: deep'
echo 'a: 1' >low/app.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'
in_trouble() { [ -n "$(attribute mnt/app.yaml user.plyfs.error)" ]; }
mended() { ! in_trouble; }

# A file that was shown before its rule had a check stays, and that is reported.
with "check: [grep, 'b', '%f']"
eventually in_trouble || fail "a new check does not judge what is shown"
shows mnt/app.yaml 'a: 1'
with "check: [grep, 'a', '%f']"
eventually mended || fail "another check does not judge anew"
with "check: [grep, 'c', '%f']"
eventually in_trouble
echo 'd: 1' | replace low/app.yaml
sleep 0.5
shows mnt/app.yaml 'a: 1'
with 'strategy: deep'
comes_to_show mnt/app.yaml 'd: 1'
eventually mended || fail "without a check there is still a trouble"

# A check that runs judges for the settings that it was started with.
has_guard() { pgrep -P "$plyfs_pid" -x plyfs-guard >/dev/null; }
refuses_later() {
	rm -f go
	with "timeout: 10m, check: [sh, -c, 'until [ -e $PWD/go ]; do sleep 0.05; done; exit 1', '%f']"
	eventually has_guard || fail "no check runs"
	echo "$1" | replace low/app.yaml
	sleep 0.3
}
chmod 711 .
refuses_later 'e: 1'
with "check: [grep, 'e', '%f']"
sleep 0.3
shows mnt/app.yaml 'd: 1'
touch go
comes_to_show mnt/app.yaml 'e: 1'
eventually mended || fail "the older check's verdict counts: $(attribute mnt/app.yaml user.plyfs.error)"
# One that waits is not run if there is none any more.
refuses_later 'f: 1'
with 'strategy: deep'
comes_to_show mnt/app.yaml 'f: 1'
touch go
eventually eval '! has_guard' || fail "a check goes on"
sleep 0.3
shows mnt/app.yaml 'f: 1'
mended || fail "without a check there is a trouble: $(attribute mnt/app.yaml user.plyfs.error)"

# A check in a plyfs.yaml that other users can write is refused, and changes nothing.
with "check: [grep, 'z', '%f']"
eventually in_trouble
chmod 666 plyfs.yaml
sed -i 's/grep/true/' plyfs.yaml
chmod 666 plyfs.yaml
touch plyfs.yaml
told() { "$PLYFS" status mnt | grep -q 'plyfs.yaml has the mode 0666: chmod go-w it'; }
eventually told || fail "it is not told: $("$PLYFS" status mnt)"
in_trouble || fail "a command that anybody could have written was run"
chmod 644 plyfs.yaml
touch plyfs.yaml
eventually mended || fail "the mended settings are not taken"
stop
