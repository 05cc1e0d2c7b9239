#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr python3
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
start
good=$'a: 1\nb: 1'
shows mnt/app.yaml "$good"
inode=$(stat -c %i mnt/app.yaml)

in_trouble() { [[ $(attribute mnt/app.yaml user.plyfs.error) == *"${1-}"?* ]]; }
mended() { ! in_trouble; }

printf 'b: 1\nc: [1,\n' | replace high/app.yaml
eventually in_trouble || fail "the error is not seen"
shows mnt/app.yaml "$good"
[ "$(stat -c %i mnt/app.yaml)" = "$inode" ] || fail "the same bytes are another file"
[ "$(status troubles 0 path)" = app.yaml ]

# The values of the other sources go on changing.
echo 'a: 2' >low/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 1'
in_trouble || fail "the error is forgotten"
echo 'b: 2' | replace high/app.yaml
comes_to_show mnt/app.yaml $'a: 2\nb: 2'
eventually mended || fail "the error stays: $(attribute mnt/app.yaml user.plyfs.error)"
[ "$(status troubles)" = '[]' ]

# Other faults of a source.
printf 'b: \xff\xfe\n' | replace high/app.yaml
eventually in_trouble 'is not UTF-8' || fail "text that is not UTF-8 is no error"
shows mnt/app.yaml $'a: 2\nb: 2'
printf 'b: &x [*x]\nc: *y\n' | replace high/app.yaml
eventually in_trouble 'is an alias' || fail "an alias to nothing is no error"
shows mnt/app.yaml $'a: 2\nb: 2'
head -c 300000 /dev/zero | tr '\0' '[' | replace high/app.yaml
eventually in_trouble 'in each other' || fail "a hundred thousand brackets are no error"
shows mnt/app.yaml $'a: 2\nb: 2'
rm high/app.yaml
comes_to_show mnt/app.yaml 'a: 2'
eventually mended || fail "the error stays"
