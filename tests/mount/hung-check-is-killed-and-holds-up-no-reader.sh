#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3 getfattr pgrep
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: "hung*.yaml", timeout: 20s, check: [sh, -c, 'grep -q good "\$1" || { echo waiting; sleep 600.$$ & wait; }', sh, "%f"]}
  - {match: "killed.yaml", check: [sh, -c, 'kill -SEGV \$\$', sh, "%f"]}
  - {match: "late.yaml", check: [$PWD/bin/late, "%f"]}
  - {match: "missing.yaml", check: [no-such-program, "%f"]}
YAML
for i in 1 2 3 4 5; do echo "good: 1" >low/hung$i.yaml; done
echo 'a: 0' >low/other.yaml
start -c plyfs.yaml mnt
for i in 1 2 3 4 5; do shows mnt/hung$i.yaml 'good: 1'; done
shows mnt/other.yaml 'a: 0'

# More checks hang than may run at once.
for i in 1 2 3 4 5; do echo "bad: 1" | replace low/hung$i.yaml; done
hangs() { pgrep -f "^sleep 600.$$\$" >/dev/null; }
eventually hangs || fail "no check runs"
before=$(date +%s%N)
for i in 1 2 3 4 5; do
	echo "a: $i" | replace low/other.yaml
	comes_to_show mnt/other.yaml "a: $i"
	shows mnt/hung1.yaml 'good: 1'
done
took=$((($(date +%s%N) - before) / 1000000))
((took < 19000)) || fail "five changes of another path took $took ms"
[ "$(pgrep -fc "^sleep 600.$$\$")" -le 2 ] || fail "more than two checks run at once"

in_trouble() { [[ $(attribute "mnt/$1" user.plyfs.error) == *"$2"* ]]; }
for i in 1 2 3 4 5; do
	eventually in_trouble hung$i.yaml "the check 'sh' had not ended after 20 s, and was killed" ||
		fail "hung$i.yaml: $(attribute mnt/hung$i.yaml user.plyfs.error)"
	shows mnt/hung$i.yaml 'good: 1'
done
# Their checks are tried again, and would take the places of the checks below.
for i in 1 2 3 4 5; do echo "good: 2" | replace low/hung$i.yaml; done
for i in 1 2 3 4 5; do comes_to_show mnt/hung$i.yaml 'good: 2'; done

echo 'a: 1' >low/killed.yaml
echo 'a: 1' >low/missing.yaml
comes_to_exist mnt/missing.yaml
fails_with 'Input/output error' cat mnt/killed.yaml
fails_with 'Input/output error' cat mnt/missing.yaml
eventually in_trouble killed.yaml "was killed by signal 11" || fail "$(attribute mnt/killed.yaml user.plyfs.error)"
eventually in_trouble missing.yaml "the check 'no-such-program' can't be run: starting it: No such file" ||
	fail "$(attribute mnt/missing.yaml user.plyfs.error)"

# A file that could not be judged is tried again: the program may be installed, or the machine have more time.
mkdir bin
chmod 711 . bin
echo 'a: 2' >low/late.yaml
comes_to_exist mnt/late.yaml
fails_with 'Input/output error' cat mnt/late.yaml
ln -s /bin/true bin/late
comes_to_show mnt/late.yaml 'a: 2'

# The check ends with the mount, however long it would go on.
echo "bad: 2" | replace low/hung1.yaml
eventually hangs || fail "no check runs"
unmount mnt
before=$SECONDS
ended_cleanly
((SECONDS - before < 20)) || fail "the end waits for a check"
hangs_not() { ! hangs; }
eventually hangs_not || fail "a check outlives the mount"

# It also ends with a daemon that is killed.
echo 'good: 3' >low/hung1.yaml
start -c plyfs.yaml mnt
shows mnt/hung1.yaml 'good: 3'
echo "bad: 3" | replace low/hung1.yaml
eventually hangs || fail "no check runs"
kill -9 "$plyfs_pid"
wait "$plyfs_pid" 2>/dev/null || true
plyfs_pid=
eventually hangs_not || fail "a check outlives a daemon that was killed"
umount -l mnt
