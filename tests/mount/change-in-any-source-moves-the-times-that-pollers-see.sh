#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Pollers keep a time as Python's st_mtime or JavaScript's mtimeMs do, without nanoseconds. make and `find -newer`
# compare it with a file that was written meanwhile.
need python3
mkdir optional
cat >plyfs.yaml <<'END'
layers: [low, high, {path: optional, optional: true}]
options: {header: false}
END
for source in low/app.yaml high/app.yaml; do
	echo "${source%%/*}: 0" >$source
	touch -d '2024-05-05 05:05:05.123456789' $source
done
touch -d '2023-03-03' low/app.yaml
start -c plyfs.yaml mnt
times() {
	python3 -c '
import math, os
now = os.stat("mnt/app.yaml")
print(math.floor(now.st_mtime * 1000), math.floor(now.st_ctime * 1000))'
}
[ "$(stat -c %y mnt/app.yaml)" = "$(stat -c %y high/app.yaml)" ] ||
	fail "the time is not the newest source's: $(stat -c %y mnt/app.yaml)"

# is_told WHAT TEXT: after WHAT was done, the file soon has TEXT, and its times have moved.
is_told() {
	comes_to_show mnt/app.yaml "$2"
	read -r mtime ctime < <(times)
	[ "$mtime" -gt "$mtime_before" ] || fail "$1: mtime $mtime_before becomes $mtime"
	[ "$ctime" -gt "$ctime_before" ] || fail "$1: ctime $ctime_before becomes $ctime"
	[ -n "$(find mnt/app.yaml -newer built)" ] || fail "$1: find -newer does not find it"
}
remember() {
	read -r mtime_before ctime_before < <(times)
	sleep 0.01
	touch built
	sleep 0.01
}

remember
echo 'low: 1' >low/.old
touch -d '2001-01-01' low/.old
mv low/.old low/app.yaml
is_told "an older file comes" $'low: 1\nhigh: 0'

remember
echo 'low: 2' >from
touch -d '2002-02-02' from
cp -p from low/app.yaml
is_told "cp -p" $'low: 2\nhigh: 0'

remember
rm high/app.yaml
is_told "a source goes" 'low: 2'

remember
printf 'layers: [low]\noptions: {header: false}\n' | replace plyfs.yaml
echo 'site: 1' >optional/app.yaml
touch -d '2003-03-03' optional/app.yaml
printf 'layers: [low, optional]\noptions: {header: false}\n' | replace plyfs.yaml
is_told "a layer comes" $'low: 2\nsite: 1'

remember
printf 'layers: [low]\noptions: {header: false}\n' | replace plyfs.yaml
is_told "a layer goes" 'low: 2'

# A change that leaves a merged file's bytes the same moves no time.
remember
echo 'high: 3' >high/app.yaml
printf 'layers: [low, high]\noptions: {header: false}\n' | replace plyfs.yaml
is_told "a layer comes again" $'low: 2\nhigh: 3'
remember
touch low/app.yaml
echo 'low: 2' | replace low/app.yaml
sleep 0.3
[ "$(times)" = "$mtime_before $ctime_before" ] || fail "the times move though nothing has changed"
