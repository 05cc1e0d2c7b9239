#!/bin/bash
. "$(dirname "$0")/mount.sh"

need pgrep

# A sandbox knows the directories that existed when it was entered. Only plyfs-monitor opens what stands in their place
# later.
mkdir v1 v2 elsewhere late
echo 'a: 1' >v1/app.yaml
echo 'a: 2' >v2/app.yaml
echo 'a: 4' >elsewhere/app.yaml
ln -s v1 turned
cat >plyfs.yaml <<'END'
layers: [low, turned, {path: missing, optional: true}]
END
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'
[ "$(status sandbox landlock)" = on ] || skip "there is no Landlock here"
monitor=$(pgrep -P $plyfs_pid -x plyfs-monitor) || fail "there is no monitor"

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
echo "layers: [low, turned, $directory/elsewhere]" | replace plyfs.yaml
comes_to_show mnt/app.yaml 'a: 4'
echo 'a: 5' >elsewhere/app.yaml
comes_to_show mnt/app.yaml 'a: 5'
echo 'x: 1' >elsewhere/one.yaml

# The twin: without it a later directory can't be read, which is reported. Those from the start can.
[ "$(status monitor running)" = True ] || fail "the status says of the monitor: $(status monitor)"
kill -KILL "$monitor"
echo 'layers: [v1, late]' | replace plyfs.yaml
echo 'c: 1' >late/late.yaml
is_told() { grep -qs 'the process plyfs-monitor, which opens new paths, has ended; start plyfs again' log; }
eventually is_told || fail "nobody is told: $(cat log)"
[ ! -e mnt/late.yaml ] || fail "it is read without the monitor"
is_counted() { "$PLYFS" status mnt >told && grep -q 'monitor .*plyfs-monitor has ended' told; }
eventually is_counted || fail "the status does not tell: $(cat told)"
"$PLYFS" status | grep -q ', [1-9][0-9]* troubles\?' || fail "nor the list of mounts: $("$PLYFS" status)"
stop

# It ends with the daemon.
start -c plyfs.yaml mnt
shows mnt/late.yaml 'c: 1'
monitor=$(pgrep -P $plyfs_pid -x plyfs-monitor)
# It may be opening a file just now, which it closes at once.
holds_layers_only() {
	held=$(readlink "/proc/$monitor/fd/"*) || return 1
	grep -q '/late$' <<<"$held" && ! grep -qEv '^(/dev/null|socket:.*|/.*/(mnt|v1|late))$' <<<"$held"
}
eventually holds_layers_only || fail "it holds: $(ls -l "/proc/$monitor/fd")"
for helper in $(pgrep -P $plyfs_pid); do
	! ls -l "/proc/$helper/fd" | grep /dev/fuse || fail "$(cat "/proc/$helper/comm") holds the mount"
done
stop
eventually has_ended "$monitor" || fail "it outlives the daemon"
