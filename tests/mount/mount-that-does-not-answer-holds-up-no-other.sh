#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

# A mount is silent, whatever program made it. No command for another mount waits, and each command names the silent
# one.
mkdir deaf mute dead liar
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml

# all_name MOUNT <<COMMANDS: all commands run at once, and each reports that this mount is silent.
all_name() {
	local line process processes=()
	while read -r line; do
		(eval "ends 1 $line" && says "$directory/$1: does not answer for 5 s") &
		processes+=($!)
	done
	for process in "${processes[@]}"; do
		wait "$process" || exit 1
	done
}

start low:high mnt
shows mnt/app.yaml $'a: 1\nb: 1'
make_silent mute mute
make_silent deaf deaf
# A stopped plyfs has a process number to show, also after a take-over.
"$PLYFS" mount low:high dead
"$PLYFS" mount --take-over dead
stopped=$("$PLYFS" status --json dead | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
at_end "kill -CONT $stopped; umount -l $directory/dead"
kill -STOP "$stopped"

# A healthy mount may be late on a busy machine.
lists_the_healthy() {
	ends 1 "$PLYFS" status
	[[ $said == *"$directory/mnt: 2 layers, 0 errors"* ]]
}
eventually lists_the_healthy || fail "a healthy mount does not answer: $said"
says "$directory/mute: does not answer for 2 s"
says "$directory/deaf: does not answer for 2 s"
says "$directory/dead: does not answer for 2 s (process $stopped serves it)"
lists_the_healthy_as_json() {
	ends 1 "$PLYFS" status --json
	[[ $said != *"$directory/mnt\", \"status\": null"* ]]
}
eventually lists_the_healthy_as_json || fail "a healthy mount does not answer: $said"
python3 - "$said" <<'PY'
import json, sys
found = {mount["mountpoint"].rsplit("/", 1)[1]: mount for mount in json.loads(sys.argv[1])}
assert found["mnt"]["status"]["layers"] and "error" not in found["mnt"], found
for name in ("mute", "deaf", "dead"):
    assert found[name]["status"] is None and "does not answer for 2 s" in found[name]["error"], found
PY

# Commands for the healthy mount: by a path in the mount, in a layer, and by its settings.
ends 0 "$PLYFS" status mnt
ends 0 "$PLYFS" explain mnt/app.yaml
ends 0 "$PLYFS" explain high/app.yaml
says 'b: 1'
ends 0 "$PLYFS" set mnt/app.yaml b 2
ends 0 "$PLYFS" set high/app.yaml b 3
comes_to_show mnt/app.yaml $'a: 1\nb: 3'
ends 0 "$PLYFS" check -q mnt
ends 0 "$PLYFS" cat -l low:high app.yaml
ends 0 "$PLYFS" blame high/app.yaml

# A path in the silent mount, through a link as well, layers there, and files that are read beside them.
ln -s mute link
ln -s mute/x leads
ends 1 "$PLYFS" explain link/x
says "does not answer for 5 s; 'plyfs doctor' says what to do"
ends 1 "$PLYFS" get leads a
says "does not answer for 5 s"
ends 1 "$PLYFS" set high/app.yaml b @leads
says "does not answer for 5 s"
ends 1 "$PLYFS" status dead
says "dead: does not answer for 5 s (process $stopped serves it)"
# There is no second limit, of 2 s, behind the first; a loaded machine is slow.
is_quick() {
	local began
	began=$(date +%s%N)
	all_name deaf <<<'"$PLYFS" explain deaf/x'
	[ $((($(date +%s%N) - began) / 1000000)) -lt 6900 ]
}
tries=0
until is_quick; do
	tries=$((tries + 1))
	[ $tries -lt 12 ] || fail "it waits for more than 5 s"
done
ends 1 "$PLYFS" cat -c deaf/plyfs.yaml app.yaml
says "$directory/deaf: does not answer for 5 s"
all_name mute <<'COMMANDS'
"$PLYFS" check -l low:mute/x
"$PLYFS" diff mute
"$PLYFS" hide mute/x
"$PLYFS" reset mute/x
"$PLYFS" edit mute/x
"$PLYFS" blame mute/x
"$PLYFS" merge low/app.yaml name=mute/x
"$PLYFS" merge --schema mute/x low/app.yaml
"$PLYFS" merge -s pillar --set data_path=mute low/app.yaml
"$PLYFS" set -l low:high app.yaml a @mute/x
"$PLYFS" set mnt/app.yaml a=@mute/x
COMMANDS
all_name mute <<'COMMANDS'
"$PLYFS" mount -c mute/plyfs.yaml high
"$PLYFS" mount --take-over mute
"$PLYFS" mount -o X-mount.mkdir low:high mute/x/y
"$PLYFS" mute/x other
"$PLYFS" mute other
"$PLYFS" render -l low:high mute
"$PLYFS" check -c plyfs.yaml --hosts mute/x
"$PLYFS" mirror git /nowhere mute/x
"$PLYFS" mirror status mute/x
"$PLYFS" mirror confirm --state mute/x low
env PLYFS_PRESETS=low:mute "$PLYFS" presets
env PLYFS_PRESETS=mute "$PLYFS" presets systemd
COMMANDS
# The kernel knows the root of the stopped mount, but not the files in it.
all_name dead <<'COMMANDS'
"$PLYFS" cat -l low:dead app.yaml
"$PLYFS" check -l low:dead
"$PLYFS" set -l low:dead app.yaml a 2
"$PLYFS" merge dead/app.yaml
"$PLYFS" mount --take-over dead
COMMANDS
ends 1 "$PLYFS" cat -l low:high "$directory/mute/x"
says "no layer has such a file"

# Another mount, also on the silent one; and taking it away.
mkdir other
ends 0 "$PLYFS" mount low:high other
ends 0 "$PLYFS" umount other
ends 1 "$PLYFS" mount low:high mute
says "the file system that is mounted there does not answer; unmount it: umount -f mute"
kill -CONT "$stopped"
ends 0 "$PLYFS" umount dead
ends 0 "$PLYFS" umount -f mute
ends 0 "$PLYFS" umount deaf

# A mount that answers with any status it likes.
printf '{"layers": [{"path": "%s"}], "settings": {"header": true}, "pid": 1, "source": "x", "directory": "/"}' \
	"$directory/high" >told
make_silent liar liar told
ends 0 "$PLYFS" status
printf '[1, 2' >told
eval "exec {liar_fd}>&-"
eventually eval '! is_mounted liar'
make_silent liar liar told
ends 0 "$PLYFS" status
says "$directory/liar: its status can't be read"
ends 0 "$PLYFS" status --json
python3 -c 'import json, sys; json.loads(sys.argv[1])' "$said" || fail "it is no JSON: $said"
ends 1 "$PLYFS" status --json liar
eval "exec {liar_fd}>&-"
eventually eval '! is_mounted liar'

# It may claim that root owns what it shows, although its mounter may have written it.
printf 'layers: [%s]\nrules: [{match: a, check: [cat, "%%f"]}]\n' "$directory/low" >told
for mounter in 0 1; do
	MOUNTER=$mounter make_silent liar liar told
	ends $mounter "$PLYFS" check -q -c liar/.plyfs/status
	[ $mounter = 0 ] || says "liar, on the way to liar/.plyfs/status, is on a FUSE file system of the user 1"
	eval "exec {liar_fd}>&-"
	eventually eval '! is_mounted liar'
done
stop
