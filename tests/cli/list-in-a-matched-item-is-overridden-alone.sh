#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A change of a list in an item that is merged by a key copies that list, and neither the item's other values nor the
# other items: these go on following the lower layer.
mkdir v s
cat >plyfs.yaml <<-'END2'
	layers: [v, s]
	rules:
	  - {match: a.yaml, options: {lists: {jobs: {by: name}, "jobs.steps": {by: id}}}}
	  - {match: all.yaml, options: {lists: {jobs: {by: name}, "jobs.tags": append}}}
END2
becomes() { # FILE CONTENT
	[ "$(cat s/"$1")" = "$2" ] || fail "s/$1 becomes: $(cat s/"$1")"
}
cat >v/a.yaml <<-'END2'
	jobs:
	- name: a
	  tags: [x]
	- name: b
	  tags: [x, y]
	  more: [5]
	  steps: [{id: 1, run: [a, b]}, {id: 2, run: [c]}]
	  targets: [{hosts: [h]}, {hosts: [i]}]
END2
set_() { rm -f s/*; runs 0 "$PLYFS" set -c plyfs.yaml "$@"; }
set_ a.yaml 'jobs[name=b].tags[+]' z
becomes a.yaml $'jobs:\n- name: b\n  tags: [x, y, z]'
set_ a.yaml 'jobs[name=b].steps[id=1].run[+]' z
becomes a.yaml $'jobs:\n- name: b\n  steps:\n  - id: 1\n    run: [a, b, z]'
# So is an item that is merged by a key within another one.
set_ a.yaml 'jobs[name=b].steps[id=2].if' z
becomes a.yaml $'jobs:\n- name: b\n  steps:\n  - id: 2\n    if: z'
# A reset takes the items away, too, that the change has added.
runs 0 "$PLYFS" reset -c plyfs.yaml a.yaml 'jobs[name=b].steps[id=2].if'
[ ! -e s/a.yaml ] || fail "after the reset there is: $(cat s/a.yaml)"
runs 0 "$PLYFS" unset -c plyfs.yaml a.yaml 'jobs[name=b].steps[id=2]'
becomes a.yaml $'jobs:\n- name: b\n  steps:\n  - !delete\n    id: 2'
set_ a.yaml 'jobs[name=b].steps[+]={id: 3}'
becomes a.yaml $'jobs:\n- name: b\n  steps:\n  - {id: 3}'
# No item of 'targets' has a name, so the whole of this list is copied.
set_ a.yaml 'jobs[name=b].targets[1].hosts[+]' z
becomes a.yaml $'jobs:\n- name: b\n  targets: [{hosts: [h]}, {hosts: [i, z]}]'
rm s/a.yaml
runs 0 "$PLYFS" unset -c plyfs.yaml a.yaml 'jobs[name=b].tags[0]'
becomes a.yaml $'jobs:\n- name: b\n  tags: [y]'
# The copy replaces the lower list: without z it would still do so.
set_ a.yaml 'jobs[name=b].tags[+]' z
runs 1 "$PLYFS" reset -c plyfs.yaml a.yaml 'jobs[name=b].tags[2]'
grep -q "s/a.yaml:3:10: the layer 's' replaces the whole value here; reset this key as a whole" err || fail "$(cat err)"
becomes a.yaml $'jobs:\n- name: b\n  tags: [x, y, z]'
runs 0 "$PLYFS" reset -c plyfs.yaml a.yaml 'jobs[name=b].tags'
[ ! -e s/a.yaml ] || fail "after the reset there is: $(cat s/a.yaml)"
# A list that no lower layer has shrinks.
printf 'jobs:\n- name: c\n  tags: [x, y]\n' >s/a.yaml
runs 0 "$PLYFS" reset -c plyfs.yaml a.yaml 'jobs[name=c].tags[1]'
becomes a.yaml $'jobs:\n- name: c\n  tags: [x]'
rm s/a.yaml
set_ a.yaml 'jobs[name=b].tags[+]' z

# The item may be there already.
printf 'jobs:\n- name: b\n  own: 1 # ours\n' >s/a.yaml
runs 0 "$PLYFS" set -c plyfs.yaml a.yaml 'jobs[name=b].tags[+]' z
becomes a.yaml $'jobs:\n- name: b\n  own: 1 # ours\n  tags:\n  - x\n  - y\n  - z'

# Where the layers' lists are appended, the copy replaces them.
cp v/a.yaml v/all.yaml
rm s/a.yaml
runs 0 "$PLYFS" unset -c plyfs.yaml all.yaml 'jobs[name=b].tags[0]'
becomes all.yaml $'jobs:\n- name: b\n  tags: !replace [y]'

# Several items that change in one edit get the order of the file, as does one that changes
# later. An item that the layer alone has stays before them.
printf 'jobs:\n- name: z\n' >s/a.yaml
sed -i 's/^  tags: .*/  tags:\n  - x/' v/a.yaml
runs 0 env EDITOR="sed -i 's/^  - x/  - new/'" "$PLYFS" edit -c plyfs.yaml a.yaml
becomes a.yaml $'jobs:\n- name: z\n- name: a\n  tags:\n  - new\n- name: b\n  tags:\n  - new'
runs 0 "$PLYFS" reset -c plyfs.yaml a.yaml 'jobs[name=a].tags'
becomes a.yaml $'jobs:\n- name: z\n- name: b\n  tags:\n  - new'
runs 0 "$PLYFS" set -c plyfs.yaml a.yaml 'jobs[name=a].own' 1
becomes a.yaml $'jobs:\n- name: z\n- name: a\n  own: 1\n- name: b\n  tags:\n  - new'

# The layer has all items of a list that is merged by a key. Yet the list replaces no other: what is reset goes.
printf 'jobs:\n- name: a\n  steps: [{id: t, x: 1}]\n' >v/a.yaml
printf 'jobs:\n- name: a\n  steps:\n  - !delete {id: t}\n  - {id: u, x: 2, y: 3}\n' >s/a.yaml
runs 0 "$PLYFS" reset -c plyfs.yaml a.yaml 'jobs[name=a].steps[id=u].x'
becomes a.yaml $'jobs:\n- name: a\n  steps:\n  - !delete {id: t}\n  - {id: u, y: 3}'
