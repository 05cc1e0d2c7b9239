#!/bin/bash
. "$(dirname "$0")/mount.sh"

chmod 711 .
touch runs
chmod 666 runs
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: app.yaml, check: [sh, -c, 'echo x >>$PWD/runs; sleep 0.5; cat "\$1" >$PWD/last', sh, "%f"]}
YAML
touch last
chmod 666 last
echo 'a: 0' >low/app.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 0'
is runs x || fail "it was not checked once: $(cat runs)"
for i in $(seq 40); do
	echo "a: $i" | replace low/app.yaml
	sleep 0.02
done
comes_to_show mnt/app.yaml 'a: 40'
# 40 changes in 0.8 s or a little more: the check judges the first of them, and in the pauses of half a second the
# newest.
count=$(wc -l <runs)
((count >= 2 && count <= 8)) || fail "$count checks for a burst"
is last 'a: 40' || fail "the last check saw: $(cat last)"

# Bytes that were judged already are not judged again.
count=$(wc -l <runs)
touch low/app.yaml
echo 'a: 40' | replace low/app.yaml
sleep 1
[ "$(wc -l <runs)" -eq "$count" ] || fail "the same bytes were checked again"
stop
