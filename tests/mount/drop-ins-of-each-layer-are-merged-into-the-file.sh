#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need inotifywait
mkdir -p low/dir/app.yaml.d high/dir/app.yaml.d low/dir/plain.yaml.d low/dir/only.yaml.d
echo 'low: file' >low/dir/app.yaml
echo 'low10: 1' >low/dir/app.yaml.d/10.yaml
printf 'low9: 1\nx: low\n' >low/dir/app.yaml.d/9.yaml
echo 'high: file' >high/dir/app.yaml
printf 'high5: 1\nx: high\n' >high/dir/app.yaml.d/5.yaml
echo 'never: 1' | tee low/dir/app.yaml.d/{.hidden,9.yaml~,README,50.yaml.disabled} >/dev/null
mkdir low/dir/app.yaml.d/directory
echo 'never: 1' >low/dir/app.yaml.d/directory/1.yaml
echo 'only: 1' >low/dir/only.yaml.d/1.yaml
echo 'plain: 1' >low/dir/plain.yaml
echo 'never: 1' >low/dir/plain.yaml.d/1.yaml
cat >plyfs.yaml <<-END
	layers: [{path: low, exclude: []}, high]
	options: {header: false}
	rules: [{match: "dir/{app,only,new}.yaml", strategy: deep, dropins: true}]
END
# Layer by layer: the file itself, then its drop-ins in byte order.
wanted=$'low: file\nlow10: 1\nlow9: 1\nx: high\nhigh: file\nhigh5: 1'
start -c plyfs.yaml mnt
lists mnt/dir app.yaml app.yaml.d only.yaml only.yaml.d plain.yaml plain.yaml.d
shows mnt/dir/app.yaml "$wanted"
# A name that has drop-ins and no file is a file, too; without the rule there is none.
shows mnt/dir/only.yaml 'only: 1'
shows mnt/dir/plain.yaml 'plain: 1'
"$PLYFS" cat -c plyfs.yaml dir/app.yaml | cmp - mnt/dir/app.yaml
# The directory still shows as it is.
lists mnt/dir/app.yaml.d .hidden 10.yaml 5.yaml 50.yaml.disabled 9.yaml 9.yaml~ README directory

watch mnt/dir
echo 'low10: 2' | replace low/dir/app.yaml.d/10.yaml
comes_to_show mnt/dir/app.yaml "${wanted/low10: 1/low10: 2}"
unwatch
saw_events 'mnt/dir/ MOVED_TO app.yaml'
# A drop-in that is disabled by its name is left out, and comes back by its name.
mv high/dir/app.yaml.d/5.yaml high/dir/app.yaml.d/5.yaml.off
comes_to_show mnt/dir/app.yaml $'low: file\nlow10: 2\nlow9: 1\nx: low\nhigh: file'
mv high/dir/app.yaml.d/5.yaml.off high/dir/app.yaml.d/5.yaml
comes_to_show mnt/dir/app.yaml "${wanted/low10: 1/low10: 2}"
wanted=${wanted/low10: 1/low10: 2}

# Another layer's drop-in of the same name is another source, and does not replace the first.
mkdir -p high/dir
echo 'high10: 1' >high/dir/app.yaml.d/10.yaml
comes_to_show mnt/dir/app.yaml $'low: file\nlow10: 2\nlow9: 1\nx: high\nhigh: file\nhigh10: 1\nhigh5: 1'
rm -r high/dir/app.yaml.d
comes_to_show mnt/dir/app.yaml $'low: file\nlow10: 2\nlow9: 1\nx: low\nhigh: file'
# A whiteout of the directory hides all drop-ins below it.
touch high/dir/.wh.app.yaml.d
comes_to_show mnt/dir/app.yaml $'low: file\nhigh: file'
rm high/dir/.wh.app.yaml.d
comes_to_show mnt/dir/app.yaml $'low: file\nlow10: 2\nlow9: 1\nx: low\nhigh: file'
# The file goes and its drop-ins stay; and the other way round.
rm low/dir/app.yaml high/dir/app.yaml
comes_to_show mnt/dir/app.yaml $'low10: 2\nlow9: 1\nx: low'
rm -r low/dir/app.yaml.d
comes_to_vanish mnt/dir/app.yaml
mkdir high/dir/new.yaml.d
echo 'new: 1' >high/dir/new.yaml.d/x.yaml
comes_to_show mnt/dir/new.yaml 'new: 1'
comes_to_equal_fresh -c plyfs.yaml

# The format may be another than YAML, and a drop-in another than its file.
mkdir low/dir/{app.toml,web.service}.d
printf '[a]\nx = 0x10\n' >low/dir/app.toml
echo 'a: {y: [b]}' >low/dir/app.toml.d/1.yaml
printf '[Service]\nExecStart=/bin/a\n' >low/dir/web.service
sed -i 's/{app,only,new}.yaml/*.{yaml,toml,service}/' plyfs.yaml
comes_to_show mnt/dir/app.toml $'[a]\nx = 0x10\ny = ["b"]'
shows mnt/dir/web.service $'[Service]\nExecStart=/bin/a'
printf '[Service]\nExecStart=\nExecStart=/bin/b\n' >low/dir/web.service.d/1.conf
comes_to_show mnt/dir/web.service $'[Service]\nExecStart=\nExecStart=/bin/b'

# A name with no room for ".d" behind it has no drop-ins, and does no harm.
stop
cat >plyfs.yaml <<-END
	layers: [low, high]
	rules: [{match: "**", strategy: last, dropins: true}]
END
name=$(head -c 255 /dev/zero | tr '\0' n)
echo text >"low/$name"
start -c plyfs.yaml mnt
shows "mnt/$name" text
echo new >"low/$name"
comes_to_show "mnt/$name" new

# The twin: without the rule the drop-ins are merged into nothing.
stop
printf 'layers: [low, high]\n' >plyfs.yaml
start -c plyfs.yaml mnt
[ ! -e mnt/dir/only.yaml ] && [ ! -e mnt/dir/new.yaml ] || fail "drop-ins that no rule asks for"
shows mnt/dir/new.yaml.d/x.yaml 'new: 1'
