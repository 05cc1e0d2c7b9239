#!/bin/bash
. "$(dirname "$0")/mount.sh"

chmod 711 .
touch runs
chmod 666 runs
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: app.yaml, timeout: 10m, check: [sh, -c, 'echo x >>$PWD/runs; until [ -e $PWD/go ]; do sleep 0.05; done; cat "\$1" >$PWD/last', sh, "%f"]}
YAML
touch last
chmod 666 last
echo 'a: 0' >low/app.yaml
touch go
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 0'
is runs x || fail "it was not checked once: $(cat runs)"
rm go
echo 'a: 1' | replace low/app.yaml
judges() { [ "$(wc -l <runs)" -eq 2 ]; }
eventually judges || fail "the first change is not checked"
for i in $(seq 2 40); do
	echo "a: $i" | replace low/app.yaml
	sleep 0.02
done
touch go
comes_to_show mnt/app.yaml 'a: 40'
# The check judged the first of 40 changes, and then the newest; or one before that, if plyfs had read no newer one yet.
count=$(wc -l <runs)
((count >= 3 && count <= 4)) || fail "$((count - 1)) checks for a burst"
is last 'a: 40' || fail "the last check saw: $(cat last)"

# Bytes that were judged already are not judged again.
count=$(wc -l <runs)
touch low/app.yaml
echo 'a: 40' | replace low/app.yaml
sleep 1
[ "$(wc -l <runs)" -eq "$count" ] || fail "the same bytes were checked again"
stop
