#!/bin/bash
. "$(dirname "$0")/mount.sh"

need pgrep

# A worker may read the layers that existed when it was forked. Others are read by a worker that is forked later.
mkdir v1 v2 elsewhere upper
echo 'a: 1' >v1/app.yaml
echo 'a: 2' >v2/app.yaml
echo 'a: 4' >elsewhere/app.yaml
ln -s v1 turned
for layer in v1 v2 elsewhere; do
	echo 'b: 1' >"$layer/two.yaml"
done
echo 'c: 1' >upper/two.yaml
cat >plyfs.yaml <<'END'
layers: [low, turned, {path: missing, optional: true}, upper]
END
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'
[ "$(status sandbox landlock)" = on ] || skip "there is no Landlock here"
shows mnt/two.yaml $'b: 1\nc: 1'

# Renamed, turned, newly there, and new.
mv low gone
mkdir low
echo 'b: 1' >low/new.yaml
comes_to_show mnt/new.yaml 'b: 1'
ln -sfn v2 turned.new
mv -T turned.new turned
comes_to_show mnt/app.yaml 'a: 2'
mkdir missing
echo 'a: 3' >missing/app.yaml
comes_to_show mnt/app.yaml 'a: 3'
echo "layers: [low, turned, $directory/elsewhere, upper]" | replace plyfs.yaml
comes_to_show mnt/app.yaml 'a: 4'
echo 'a: 5' >elsewhere/app.yaml
comes_to_show mnt/app.yaml 'a: 5'
echo 'b: 3' >elsewhere/two.yaml
comes_to_show mnt/two.yaml $'b: 3\nc: 1'

# Only the daemon holds the mount.
# A process that was just forked has still to close it.
holds_none() { [[ $(ls -l "/proc/$1/fd" 2>/dev/null) != *" /dev/fuse"* ]]; }
for helper in $(pgrep -P $plyfs_pid); do
	eventually holds_none "$helper" || fail "$(cat "/proc/$helper/comm") holds the mount"
done
stop
