#!/bin/bash
. "$(dirname "$0")/mount.sh"

need pkill
. "$(dirname "$test_file")/take_over.sh"

need_root
mkdir late
echo 'a: 1' >low/app.yaml
echo 'a: 2' >late/app.yaml
cat >plyfs.yaml <<'END'
layers: [low]
rules: [{match: app.yaml, check: [grep, -q, a, "%f"]}]
END
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'
for name in plyfs-publish; do
	eventually pkill -KILL -P "$plyfs_pid" -x "$name" || fail "there is no $name"
done

# A take-over that can't be done is reported, with the remedy.
sed -i 's/\[low\]/[low, late]/' plyfs.yaml
echo 'a: 3' >low/app.yaml
is_told() { [[ $(status publisher reason) == *"plyfs-publish has ended"*"kill -USR2 the process above"* ]]; }
eventually is_told || fail "the status does not tell: $(status publisher)"

renewed
comes_to_show mnt/app.yaml 'a: 2'
watch mnt
echo 'a: 4' | replace late/app.yaml
comes_to_show mnt/app.yaml 'a: 4'
has_moved() { has_event MOVED_TO; }
eventually has_moved || fail "nobody was woken: $(cat events)"
unwatch
stop
