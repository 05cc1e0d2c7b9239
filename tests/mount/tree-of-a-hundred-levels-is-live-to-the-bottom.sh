#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need inotifywait
path=
# The longest path that a system call can take whole: PATH_MAX is 4096.
for i in $(seq 100); do path+=$(printf '/directory-%03d-%023d' "$i" 0); done
path=${path#/}
mkdir -p "low/$path" "high/$path"
echo 'a: 1' >"low/$path/app.yaml"
echo 'b: 1' >"high/$path/app.yaml"
start
shows "mnt/$path/app.yaml" $'a: 1\nb: 1'
[ "$(find mnt | wc -l)" -eq 102 ] || fail "find sees: $(find mnt | wc -l)"
watch "mnt/$path"
echo 'b: 2' | replace "high/$path/app.yaml"
comes_to_show "mnt/$path/app.yaml" $'a: 1\nb: 2'
mkdir "low/$path/more"
comes_to_exist "mnt/$path/more"
comes_event 'CREATE,ISDIR more'
unwatch
[ "$(sed 's/.*\/ //' events)" = $'MOVED_TO app.yaml\nCREATE,ISDIR more' ] || fail "the events were: $(cat events)"

# All of it goes at once, and comes back.
mv low/directory-001* aside
rm -r high/directory-001*
comes_to_list mnt
mv aside "low/${path%%/*}"
comes_to_show "mnt/$path/app.yaml" 'a: 1'
comes_to_equal_fresh
