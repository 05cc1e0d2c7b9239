#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"
# If a layer's file system fails for a moment, nothing is left of that: no error stays, and no directory goes, though no
# file has changed.

need python3
need_root
mkdir -p real/dir
: >control
"$MOUNT_TOOLS/faulty" real control high &
watcher_pid=$!
echo 'b: 1' | tee real/app.yaml real/dir/app.yaml >/dev/null
echo 'a: 1' >low/app.yaml
ln -s app.yaml real/link
eventually test -e high/app.yaml || skip "faulty can't mount here"
printf 'layers: [low, high]\noptions: {poll_interval: 50ms, header: false}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/link $'a: 1\nb: 1'
shows mnt/dir/app.yaml 'b: 1'
is_well() { [ "$(status troubles)" = '[]' ] && ! status settings error >/dev/null 2>&1; }

for moment in 0.05 0.11 0.12 0.13 0.14 0.16 0.2 0.3 0.4 0.5; do
	for operation in all getattr open; do
		echo "$operation 5" >control
		sleep $moment
		shows mnt/dir/app.yaml 'b: 1'
		: >control
		sleep 0.07
		shows mnt/dir/app.yaml 'b: 1'
	done
	eventually is_well || fail "after $moment s, the trouble stays: $(cat mnt/.plyfs/status)"
	shows mnt/app.yaml $'a: 1\nb: 1'
done
comes_to_equal_fresh -c plyfs.yaml
stop
