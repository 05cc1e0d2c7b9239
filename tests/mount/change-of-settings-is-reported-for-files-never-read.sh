#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A program that watches a directory acts on an event, and may never have read a file in it.
need inotifywait
mkdir low/dir high/dir
for i in 1 2 3 4 5 6 7 8; do
	echo "low: $i" | tee low/$i.yaml >low/dir/$i.yaml
	echo "high: $i" | tee high/$i.yaml >high/dir/$i.yaml
done
echo 'other: 1' | tee low/other.yaml >low/dir/other.yaml
mkdir low/drop.yaml.d high/drop.yaml.d
echo 'low: 1' >low/drop.yaml
echo 'high: 1' >high/drop.yaml.d/x.yaml
write_settings() {
	printf 'layers: [%s]\nrules: [{match: "[1-4].yaml", strategy: %s}, {match: "*.yaml", strategy: deep, dropins: true}]\n' "$1" "$2" |
		replace plyfs.yaml
}
write_settings low deep
start -c plyfs.yaml mnt
ls mnt mnt/dir >/dev/null

# told WHAT NAME...: exactly these names had events, each once.
told() {
	local what=$1
	shift
	printf '%s\n' "$@" | grep . | sort >wanted || true
	all_there() { sed -n 's/ MOVED_TO / /p' events | sort | cmp -s - wanted; }
	eventually all_there || fail "$what: told is $(cat events)"
	sleep 0.2
	all_there || fail "$what: told is $(cat events)"
	unwatch
}
top=$(printf 'mnt/ %s.yaml\n' 1 2 3 4 5 6 7 8)
inner=$(printf 'mnt/dir/ %s.yaml\n' 1 2 3 4 5 6 7 8)

watch mnt mnt/dir
write_settings 'low, high' deep
told "a layer comes" "$top" "$inner" 'mnt/ drop.yaml'

watch mnt mnt/dir
write_settings 'low, high' last
told "a rule changes" "$(printf 'mnt/ %s.yaml\n' 1 2 3 4)"

watch mnt mnt/dir
write_settings 'low, {path: third, optional: true}, high' last
# It comes and goes while the settings of before are being worked off.
for pause in 0.01 0.015 0.017 0.02 0.025; do
	mkdir third
	sleep $pause
	rmdir third
	sleep 0.1
done
mkdir third
mv third later
sleep 0.2
told "an optional layer that is not there"

watch mnt mnt/dir
mkdir later/dir
echo 'third: 1' | tee later/5.yaml later/dir/6.yaml >/dev/null
mv later third
told "an optional layer comes" 'mnt/ 5.yaml' 'mnt/dir/ 6.yaml'

watch mnt mnt/dir
write_settings 'low, {path: third, optional: true}' last
told "a layer goes" "$top" "$inner" 'mnt/ drop.yaml'
shows mnt/6.yaml 'low: 6'
