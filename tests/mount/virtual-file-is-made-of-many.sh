#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir -p low/conf.d high/conf.d
echo 'a: 1' >low/app.yaml
echo 'b: 1' >low/conf.d/20-b.yaml
echo 'b: 2' >low/conf.d/10-b.yaml
echo 'c: 1' >high/conf.d/30-c.yaml
echo 'x: 1' >low/conf.d/40-x.yaml~
echo 'x: 1' >low/conf.d/.50-x.yaml
cat >plyfs.yaml <<-END
	layers: [low, high]
	options: {header: false}
	files: [{path: all.yaml, from: [app.yaml, "conf.d/*.yaml*"]}]
END
start -c plyfs.yaml mnt
lists mnt all.yaml app.yaml conf.d
shows mnt/all.yaml $'a: 1\nb: 1\nc: 1'
echo 'c: 2' >high/conf.d/30-c.yaml
comes_to_show mnt/all.yaml $'a: 1\nb: 1\nc: 2'
echo 'd: 1' >low/conf.d/90-d.yaml
comes_to_show mnt/all.yaml $'a: 1\nb: 1\nd: 1\nc: 2'
rm low/conf.d/20-b.yaml
comes_to_show mnt/all.yaml $'a: 1\nb: 2\nd: 1\nc: 2'
"$PLYFS" cat -c plyfs.yaml all.yaml | cmp - mnt/all.yaml
