#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need inotifywait
cat >plyfs.yaml <<-END
	layers: [low, high]
	files:
	  - {path: app.yaml, from: [base.yaml, "conf.d/*.yaml*"]}
	  - {path: etc/app.yaml, from: ["conf.d/*.yaml*"]}
END
start -c plyfs.yaml mnt
[ ! -e mnt/app.yaml ] && [ ! -e mnt/etc/app.yaml ] || fail "it is there, of nothing"

echo 'a: 1' >low/base.yaml
comes_to_show mnt/app.yaml 'a: 1'
[ ! -e mnt/etc/app.yaml ] || fail "it is there, of nothing"
mkdir low/conf.d high/conf.d
echo 'b: 1' >low/conf.d/10-b.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 1'
comes_to_show mnt/etc/app.yaml 'b: 1'
comes_to_list mnt app.yaml base.yaml conf.d etc
# settle: from then on a watcher gets no event for an earlier change.
settle() {
	watch mnt
	settled=$((settled + 1))
	echo "n: $settled" | replace low/settle.yaml
	comes_event ' settle.yaml$'
	unwatch
}
settled=0
settle

# Each change wakes watchers once: those of the source, and those of the file that it is part of.
have_come() {
	grep -q '^mnt/ MOVED_TO app.yaml' events && grep -q '^mnt/etc/ MOVED_TO app.yaml' events && grep -q '^mnt/conf.d/ ' events
}
seen_after() {
	local wanted=$1
	shift
	watch mnt mnt/etc mnt/conf.d
	"$@"
	comes_to_show mnt/app.yaml "$wanted"
	eventually is mnt/etc/app.yaml "${wanted#*$'\n'}" || fail "mnt/etc/app.yaml is: $(cat mnt/etc/app.yaml)"
	eventually have_come || true
	unwatch 0.3
	[ "$(grep -c '^mnt/ MOVED_TO app.yaml' events)" -eq 1 ] &&
		[ "$(grep -c '^mnt/etc/ MOVED_TO app.yaml' events)" -eq 1 ] &&
		[ "$(grep -c '^mnt/conf.d/ ' events)" -eq 1 ] ||
		fail "the events of '$*' were: $(cat events)"
}
add() { echo 'c: 1' | replace high/conf.d/20-c.yaml; }
change() { echo 'b: 2' >low/conf.d/10-b.yaml; }
remove() { rm low/conf.d/10-b.yaml; }
seen_after $'a: 1\nb: 1\nc: 1' add
seen_after $'a: 1\nb: 2\nc: 1' change
seen_after $'a: 1\nc: 1' remove

# A new name for a source is another place in the order; when its directory is moved away, the source is gone.
echo 'c: 2' >high/conf.d/10-c.yaml
sleep 0.2
shows mnt/app.yaml $'a: 1\nc: 1'
mv high/conf.d/10-c.yaml high/conf.d/30-c.yaml
comes_to_show mnt/app.yaml $'a: 1\nc: 2'
mv high/conf.d high/conf.off
comes_to_show mnt/app.yaml 'a: 1'
comes_to_vanish mnt/etc/app.yaml
mv high/conf.off high/conf.d
comes_to_show mnt/app.yaml $'a: 1\nc: 2'
comes_to_show mnt/etc/app.yaml 'c: 2'
comes_to_equal_fresh -c plyfs.yaml

# A directory is no part. A file that takes its place is one at once, also if the directory had something in it.
for inner in '' /x.yaml; do
	mkdir low/conf.d/20-d.yaml
	[ -z "$inner" ] || echo 'x: 1' >low/conf.d/20-d.yaml/x.yaml
	comes_to_exist "mnt/conf.d/20-d.yaml$inner"
	kill -STOP $plyfs_pid
	rm -r low/conf.d/20-d.yaml
	echo 'd: 1' | replace low/conf.d/20-d.yaml
	kill -CONT $plyfs_pid
	comes_to_show mnt/app.yaml $'a: 1\nd: 1\nc: 2'
	comes_to_show mnt/etc/app.yaml $'d: 1\nc: 2'
	rm low/conf.d/20-d.yaml
	comes_to_show mnt/app.yaml $'a: 1\nc: 2'
	comes_to_show mnt/etc/app.yaml 'c: 2'
done

# A backup, as an editor makes it, is no event.
settle
watch mnt mnt/etc
echo 'x: 1' | tee high/conf.d/30-c.yaml~ high/conf.d/.30-c.yaml.swp >/dev/null
sleep 0.3
unwatch 0.2
saw_no_events

# A broken part: the last good version stays, and names the part.
exec 5<mnt/app.yaml # a version that the kernel forgets is not kept
printf 'c: [' >high/conf.d/30-c.yaml
broken() { [[ $(status troubles) == *30-c.yaml* ]]; }
eventually broken || fail "the status does not tell: $(status troubles)"
shows mnt/app.yaml $'a: 1\nc: 2'
echo 'c: 3' >high/conf.d/30-c.yaml
comes_to_show mnt/app.yaml $'a: 1\nc: 3'
exec 5<&-

# If all parts are gone, so is the file.
rm -r low/base.yaml low/conf.d high/conf.d
comes_to_vanish mnt/app.yaml
comes_to_equal_fresh -c plyfs.yaml
