#!/bin/bash
. "$(dirname "$0")/cli.sh"

echo 'a: 1' >low.yaml
echo 'b: 1' >high.yaml
header='# Merged by plyfs (deep); edit the sources: '

runs 0 "$PLYFS" merge --header low.yaml site=high.yaml
prints "${header}low.yaml, high.yaml"$'\na: 1\nb: 1'
runs 0 "$PLYFS" merge low.yaml high.yaml
prints $'a: 1\nb: 1'
runs 0 "$PLYFS" merge --header --to json low.yaml high.yaml
prints $'{\n  "a": 1,\n  "b": 1\n}'
runs 0 "$PLYFS" merge --header - low.yaml <high.yaml
prints "${header}<stdin>, low.yaml"$'\nb: 1\na: 1'
printf '#cloud-config\na: 1\n' >user-data
runs 0 "$PLYFS" merge --header -s cloud-init user-data low.yaml
[ "$(sed -n 1p out)" = '#cloud-config' ]
[ "$(sed -n 2p out)" = '# Merged by plyfs (cloud-init); edit the sources: user-data, low.yaml' ]

# Files that a pillar finds are named as well; and the comment can be read back.
mkdir roles
echo 'b: 2' >roles/web.yaml
echo '_merge: web' >www.yaml
runs 0 "$PLYFS" merge --header -s pillar www.yaml
[[ $(cat out) == '# Merged by plyfs (pillar); edit the sources: www.yaml, '*roles/web.yaml$'\nb: 2' ]] ||
	fail "it prints: $(cat out)"
cp out again.yaml
runs 0 "$PLYFS" merge again.yaml again.yaml
prints 'b: 2'
