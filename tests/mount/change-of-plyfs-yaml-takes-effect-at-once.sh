#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
mkdir third
printf 'a: 1\nlist: [1]\n' >low/app.yaml
printf 'b: 1\nlist: [2]\n' >high/app.yaml
echo 'c: 1' >third/app.yaml
printf 'layers: [low, high]\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nlist: [2]\nb: 1'

cat >plyfs.yaml <<-END
	layers: [low, high]
	rules: [{match: app.yaml, options: {lists: append}}]
END
comes_to_show mnt/app.yaml $'a: 1\nlist: [1, 2]\nb: 1'
printf 'layers: [low, third]\n' | replace plyfs.yaml
comes_to_show mnt/app.yaml $'a: 1\nlist: [1]\nc: 1'
# The new layer is live, too.
echo 'c: 2' >third/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nlist: [1]\nc: 2'

# Settings that can't be used change only the status.
in_trouble() { status settings error >/dev/null 2>&1; }
mended() { ! in_trouble; }
printf 'layers: [low, nowhere]\n' >plyfs.yaml
eventually in_trouble || fail "the status does not tell it"
[[ $(status settings error) == *plyfs.yaml:1:15:* ]] || fail "the status tells: $(status settings)"
"$PLYFS" status mnt | grep -q 'plyfs.yaml:1:15:'
shows mnt/app.yaml $'a: 1\nlist: [1]\nc: 2'
echo 'c: 3' >third/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nlist: [1]\nc: 3'
printf 'layers: [low, high]\n' >plyfs.yaml
comes_to_show mnt/app.yaml $'a: 1\nlist: [2]\nb: 1'
eventually mended || fail "the trouble stays: $(status settings)"
