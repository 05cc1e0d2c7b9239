#!/bin/bash
# A file names another source, which crashes its parser or never comes to its end. The worker that meets this can't say
# what the file is made of. Mended, the source counts all the same: after one failure, after more than are tried, and if
# the file has named it for the first time.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/marked.sh"

cat >plyfs.yaml <<'YAML'
layers: [low, high]
rules: [{match: app.yaml, strategy: pillar, options: {data_path: data}}]
options: {header: false, answer_timeout: 1s}
YAML
mkdir low/data
echo '_merge: [sub]' >low/app.yaml
echo 'b: 1' >low/data/sub.yaml
LD_PRELOAD=$MARKED_LIBRARY start -c plyfs.yaml mnt
shows mnt/app.yaml 'b: 1'

failed() { status workers failed; }
has_failed() { [ "$(failed)" -gt "$1" ]; }
break_it() { # FAULT NAME
	local before
	before=$(failed)
	echo "b: fault-$1" | replace low/data/"$2".yaml
	eventually has_failed "$before" || fail "fault-$1 in $2.yaml is not read: $(cat mnt/.plyfs/errors)"
}
mend_it() { # NAME VALUE
	echo "b: $2" | replace low/data/"$1".yaml
	comes_to_show mnt/app.yaml "b: $2"
	eventually [ ! -s mnt/.plyfs/errors ] || fail "errors remain: $(cat mnt/.plyfs/errors)"
}

break_it crash sub
mend_it sub 2
for _ in 1 2 3 4; do
	break_it crash sub
done
mend_it sub 3
break_it stop sub
mend_it sub 4
# The repair comes while the worker still stands still.
before=$(failed)
echo 'b: fault-stop' | replace low/data/sub.yaml
sleep 0.5
start=$SECONDS
mend_it sub 5
[ $((SECONDS - start)) -lt 20 ] || fail "it takes $((SECONDS - start)) s"
# It comes while the file is hidden.
for _ in 1 2 3; do
	break_it crash sub
done
mknod high/app.yaml c 0 0
eventually eval '[ ! -e mnt/app.yaml ]' || fail "app.yaml is not hidden"
echo 'b: 6' | replace low/data/sub.yaml
sleep 0.2
rm high/app.yaml
comes_to_show mnt/app.yaml 'b: 6'

# A worker that never met the source has told nothing of it.
echo 'b: fault-crash' >low/data/other.yaml
before=$(failed)
echo '_merge: [other]' | replace low/app.yaml
eventually has_failed "$before" || fail "other.yaml is not read"
mend_it other 7

# Other rules do not read the source that has failed.
for _ in 1 2 3; do
	break_it crash other
done
replace plyfs.yaml <<'YAML'
layers: [low, high]
rules: [{match: app.yaml, strategy: last}]
options: {header: false, answer_timeout: 1s}
YAML
comes_to_show mnt/app.yaml '_merge: [other]'
stop
