#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need python3 inotifywait
need_root
[ -w /proc/sys/vm/drop_caches ] || skip "the kernel's caches can't be dropped here"
mkdir -p low/dir/sub high/dir/sub
for i in $(seq 500); do
	echo "a: $i" >low/dir/sub/$i.yaml
	echo "b: $i" >high/dir/sub/$i.yaml
done
start
facts() { find mnt -printf '%p %s %T@ %C@\n' | sort; find mnt -type f | sort | xargs cat; }
inodes() { find mnt -printf '%p %i\n' | sort; }
facts >before
inodes >inodes-before
drop() { echo 2 >/proc/sys/vm/drop_caches; }
forgotten() {
	drop
	[ "$(status versions count)" -le 20 ]
}
eventually forgotten || fail "the versions stay: $(status versions)"
[ "$(status watches count)" -le 8 ] || fail "the watches stay: $(status watches count)"
shows mnt/dir/sub/7.yaml $'a: 7\nb: 7'
facts >after
cmp before after || fail "they come back as others: $(diff before after | head -5)"
# A poller of time and inode must not conclude that all files were replaced.
inodes >inodes-after
cmp inodes-before inodes-after || fail "their numbers are others: $(diff inodes-before inodes-after | head -5)"

# A file that changes while it is forgotten is right at the next lookup, with a later time and another inode.
stat -c '%i %.9Y' mnt/dir/sub/7.yaml >before
eventually forgotten
echo 'b: new' >high/dir/sub/7.yaml
touch -d '2001-01-01' high/dir/sub/7.yaml
shows mnt/dir/sub/7.yaml $'a: 7\nb: new'
read -r inode_before time_before <before
read -r inode time < <(stat -c '%i %.9Y' mnt/dir/sub/7.yaml)
[ "$inode" != "$inode_before" ] || fail "another version has the same inode number"
[ "$(printf '%s\n' "$time" "$time_before" | sort -n | tail -1)" = "$time" ] || fail "$time is older than $time_before"
[ "$time" != "$time_before" ]

# A watched directory is remembered, and changes in it make events.
mkdir low/dir/sub/inner
comes_to_exist mnt/dir/sub/inner
watch mnt/dir/sub
drop
echo 'b: watched' | replace high/dir/sub/8.yaml
comes_event 'MOVED_TO 8.yaml'
drop
kill -STOP "$plyfs_pid" # it never sees one without the other
rm low/dir/sub/9.yaml high/dir/sub/9.yaml
kill -CONT "$plyfs_pid"
comes_event 'DELETE 9.yaml'
drop
rmdir low/dir/sub/inner
comes_event 'DELETE,ISDIR inner'
drop
mkdir low/dir/sub/inner
comes_event 'CREATE,ISDIR inner'
drop
echo 'b: new' | replace high/dir/sub/9.yaml
comes_event 'MOVED_TO 9.yaml'
unwatch
saw_events 'mnt/dir/sub/ MOVED_TO 8.yaml' 'mnt/dir/sub/ DELETE 9.yaml' \
	'mnt/dir/sub/ DELETE,ISDIR inner' 'mnt/dir/sub/ CREATE,ISDIR inner' \
	'mnt/dir/sub/ MOVED_TO 9.yaml'
comes_to_equal_fresh
