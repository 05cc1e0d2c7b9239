#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
mkdir low/conf
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: "conf/**", on_change: [sh, -c, '{ echo run; cat "\$1"; cat $PWD/mnt/conf/a.yaml; } >>$PWD/told', sh, "%f"]}
  - {match: "quiet.yaml", on_change: [sh, -c, 'echo quiet >>$PWD/quiet']}
files:
  - {path: made.yaml, from: "parts/*.yaml", on_change: [sh, -c, 'cat "\$1" >>$PWD/made', sh, "%f"]}
YAML
mkdir low/parts
echo 'p: 1' >low/parts/p.yaml
echo 'a: 1' >low/conf/a.yaml
echo 'b: 1' >low/conf/b.yaml
echo 'q: 1' >low/quiet.yaml
start -c plyfs.yaml mnt
shows mnt/conf/a.yaml 'a: 1'
shows mnt/conf/b.yaml 'b: 1'
shows mnt/made.yaml 'p: 1'
sleep 0.5
[ ! -e told ] || fail "it was run though nothing has changed: $(cat told)"

# Files that change together cause one run, after they are shown, also if one takes longer to merge.
mkdir new
told() { is told "$1"; }
long=$(printf 'k%d: {a: [1, 2], b: c}\n' {1..8000})
is_stopped() { ! grep -L '^State:[[:space:]]*T' "/proc/$plyfs_pid/task/"*/status | grep -q .; }
change_both() {
	rm -f told
	echo "a: $1" >new/a.yaml
	printf 'b: %s\n%s\n' "$1" "$long" >new/b.yaml
	# Changes are together if plyfs has looked at nothing in between.
	kill -STOP "$plyfs_pid"
	eventually is_stopped
	mv new/a.yaml new/b.yaml low/conf/
	kill -CONT "$plyfs_pid"
	eventually test -e told
	[ "$(head -n 1 mnt/conf/b.yaml)" = "b: $1" ] || fail "it was told before it is shown"
	sleep 0.3
	eventually told $'run\nconf/a.yaml\nconf/b.yaml\na: '"$1" || fail "it was told: $(cat told)"
}
for n in 2 3 4; do
	change_both $n
done
[ ! -e quiet ] || fail "another path's command was run"
is_good() { [ "$(status on_change 0 good)" = True ]; }
eventually is_good || fail "the status: $(cat mnt/.plyfs/status)"
[ "$(status on_change 0 command)" = sh ]
"$PLYFS" status mnt | grep -q 'on_change *sh: ended well .* ago' || fail "$("$PLYFS" status mnt)"

# The same bytes are no change. A virtual file has a command of its own.
rm told
touch low/conf/a.yaml
echo 'p: 2' | replace low/parts/p.yaml
comes_to_show mnt/made.yaml 'p: 2'
made() { is made made.yaml; }
eventually made || fail "the virtual file's command was told: $(cat made)"
[ ! -e told ] || fail "the same bytes were told: $(cat told)"

# Removed, new, and in a new directory.
rm low/conf/b.yaml
comes_to_vanish mnt/conf/b.yaml
eventually told $'run\nconf/b.yaml\na: '$n || fail "it was told: $(cat told)"
rm told
mkdir -p new/sub
echo 'x: 1' >new/sub/x.yaml
mv new/sub low/conf/
comes_to_exist mnt/conf/sub/x.yaml
eventually grep -qs conf/sub/x.yaml told || fail "a file in a new directory is not told: $(cat told)"

# The same for a file that the kernel has forgotten, and its directory.
rm told
if [ "$(id -u)" -ne 0 ]; then
	stop
	exit 0
fi
forget_names
sleep 0.3
echo 'a: 9' | replace low/conf/a.yaml
eventually told $'run\nconf/a.yaml\na: 9' || fail "what the kernel has forgotten is not told: $(cat told)"
stop
