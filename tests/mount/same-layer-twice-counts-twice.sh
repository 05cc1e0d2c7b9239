#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need getfattr inotifywait
echo 'list: [1]' >low/app.yaml
echo 'list: [2]' >high/app.yaml
ln -s low other
cat >plyfs.yaml <<-END
	layers: [low, high, low, other]
	rules: [{match: "*.yaml", options: {lists: append}}]
END
start -c plyfs.yaml mnt
shows mnt/app.yaml 'list: [1, 2, 1, 1]'
[ "$(attribute mnt/app.yaml user.plyfs.layers)" = low:high:low-2:other ]
watch mnt
echo 'list: [3]' | replace low/app.yaml
comes_to_show mnt/app.yaml 'list: [3, 2, 3, 3]'
comes_event MOVED_TO
unwatch
saw_events 'mnt/ MOVED_TO app.yaml'
mkdir low/dir
echo 'list: [4]' >low/dir/app.yaml
comes_to_show mnt/dir/app.yaml 'list: [4]'
rm -r low/dir low/app.yaml
comes_to_show mnt/app.yaml 'list: [2]'
comes_to_list mnt app.yaml
comes_to_equal_fresh -c plyfs.yaml
