#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need inotifywait
mkdir low/app.yaml.d high/app.yaml.d
echo 'x: main' >low/app.yaml
echo 'low: 90' >low/app.yaml.d/90.yaml
cat >plyfs.yaml <<'END'
layers: [low, {path: high, follow: true}]
rules: [{match: "*.yaml", dropins: uapi}]
options: {header: false}
END
start -c plyfs.yaml mnt
shows mnt/app.yaml $'x: main\nlow: 90'

# A higher drop-in masks, and no longer does when it goes.
ln -s /dev/null high/app.yaml.d/90.yaml
comes_to_show mnt/app.yaml 'x: main'
rm high/app.yaml.d/90.yaml
comes_to_show mnt/app.yaml $'x: main\nlow: 90'
: >high/app.yaml.d/90.yaml
comes_to_show mnt/app.yaml 'x: main'
echo 'high: 90' >high/app.yaml.d/90.yaml
comes_to_show mnt/app.yaml $'x: main\nhigh: 90'
ln -s /dev/null high/app.yaml
comes_to_show mnt/app.yaml 'high: 90'
rm high/app.yaml
echo 'x: high' | replace high/app.yaml
comes_to_show mnt/app.yaml $'x: high\nhigh: 90'
echo 'x: 10' >low/app.yaml.d/10.yaml
comes_to_show mnt/app.yaml $'x: 10\nhigh: 90'
comes_to_equal_fresh -c plyfs.yaml

# The same for a virtual file, in which a link masks also a file of another directory, and in a layer without `follow`.
mkdir low/a low/b high/a high/b
echo 'x: 10' >low/a/10.yaml
echo 'y: 20' >low/b/20.yaml
echo 'files: [{path: all.yaml, from: "{a,b}/*.yaml", dropins: uapi}]' >>plyfs.yaml
for follow in true false; do
	sed -i "s/follow: [a-z]*/follow: $follow/" plyfs.yaml
	comes_to_show mnt/all.yaml $'x: 10\ny: 20'
	ln -s /dev/null high/a/10.yaml
	comes_to_show mnt/all.yaml 'y: 20'
	ln -s /dev/null high/a/20.yaml
	eventually [ ! -e mnt/all.yaml ] || fail "all is masked, and it shows $(cat mnt/all.yaml)"
	rm high/a/10.yaml
	comes_to_show mnt/all.yaml 'x: 10'
	rm high/a/20.yaml
	comes_to_show mnt/all.yaml $'x: 10\ny: 20'
done
comes_to_equal_fresh -c plyfs.yaml

# The other order is a change of the rule, and watchers get its event.
watch mnt
sed -i 's/uapi/layers/' plyfs.yaml
comes_to_show mnt/app.yaml $'x: high\nlow: 90\nhigh: 90'
comes_event 'MOVED_TO app.yaml'
unwatch
comes_to_equal_fresh -c plyfs.yaml
