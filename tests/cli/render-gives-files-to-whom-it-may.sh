#!/bin/bash
. "$(dirname "$0")/cli.sh"
# A rendered file has the owner and the group of its source as far as the user who renders may set them.

[ "$(id -u)" -eq 0 ] || skip 'only root can make files of other users'
need setpriv unshare
mkdir layer
echo 'a: 1' >layer/app.yaml
chmod 640 layer/app.yaml
chown 4242:4243 layer/app.yaml
is() {
	[ "$(stat -c %u:%g:%a "$1/app.yaml")" = "$2" ] || fail "$1: it is $(stat -c %u:%g:%a "$1/app.yaml"), and not $2"
}

# A member of the group gives it to the group, so that the group can read it.
chmod 755 .
mkdir -m 777 open
as_member() { setpriv --reuid 65534 --regid 65534 --groups 65534,4243 "$PLYFS" render --no-sandbox "$@"; }
if setpriv --reuid 65534 --regid 65534 --clear-groups "$PLYFS" --version >/dev/null 2>&1; then
	for options in '' --atomic; do
		runs 0 as_member $options -l layer open/tree$options
		[ -z "$options" ] || options=$options/..data
		is open/tree$options 65534:4243:440
	done
	runs 0 as_member -l layer open/tree
	prints '1 file, 0 written'

	# A source that is closed, or given to another group, closes what was rendered before.
	mkdir own
	echo 'a: 1' >own/app.yaml
	while read -r group mode is count; do
		chown 65534:$group own/app.yaml
		chmod $mode own/app.yaml
		for options in '' --atomic; do
			runs 0 as_member -n $options -l own open/own$options
			grep -qx "1 file, $count would be written" out || fail "$group $mode $options: it prints $(cat out)"
			runs 0 as_member $options -l own open/own$options
			prints "1 file, $count written"
			is open/own$options${options:+/..data} 65534:$is
		done
	done <<-END
		65534 644 65534:444 1
		65534 600 65534:400 1
		65534 644 65534:444 1
		4243 644 4243:444 1
		4243 640 4243:440 1
		65534 640 65534:440 1
		4244 640 65534:400 1
		4244 600 65534:400 0
	END

	# The group may not enter a directory before what is in it is right.
	mkdir -p low/sub high/sub
	echo 'b: 1' | tee low/sub/app.yaml >high/sub/app.yaml
	chown 65534:65534 low/sub high/sub
	chmod 700 low/sub high/sub
	runs 0 as_member -l low:high open/dirs
	chown 65534:4243 low/sub high/sub
	chmod 750 low/sub high/sub
	echo 'b: [' >low/sub/app.yaml
	runs 1 as_member -l low:high open/dirs
	[ "$(stat -c %a open/dirs/sub)" = 700 ] || fail "sub is open: $(stat -c %a:%g open/dirs/sub)"
	echo 'b: 2' >low/sub/app.yaml
	runs 0 as_member -l low:high open/dirs
	[ "$(stat -c %a:%g open/dirs/sub)" = 750:4243 ] || fail "sub is closed: $(stat -c %a:%g open/dirs/sub)"
fi

# A generation has no set-group-ID bit, which a service may not set (RestrictSUIDSGID).
# In a directory that all may write to, it keeps the sticky bit: else all may replace the files in it.
for mode in 2755 1777 3777; do
	mkdir -m $mode shared$mode
	runs 0 "$PLYFS" render --atomic -l layer shared$mode
	is=$(stat -L -c %a shared$mode/..data)
	[ $is = $((mode % 2000)) ] || fail "$mode: the generation has $is"
done

# In a user namespace without this user and group.
chmod 644 layer/app.yaml
unshare --user --map-root-user true 2>/dev/null || exit 0
for options in '' --atomic; do
	runs 0 unshare --user --map-root-user "$PLYFS" render $options -l layer mapped$options
	[ -z "$options" ] || options=$options/..data
	is mapped$options "0:0:444"
done
runs 0 unshare --user --map-root-user "$PLYFS" render -l layer mapped
prints '1 file, 0 written'
runs 0 unshare --user --map-root-user "$PLYFS" render --atomic -l layer mapped--atomic
prints '1 file, 0 written'
chown 4242:0 layer/app.yaml
chmod 640 layer/app.yaml
runs 0 unshare --user --map-root-user "$PLYFS" render --atomic -l layer mapped--atomic
prints '1 file, 1 written'
is mapped--atomic/..data 0:0:440
chmod 644 layer/app.yaml
rm -f mapped/.plyfs/bases
runs 0 unshare --user --map-root-user "$PLYFS" render -n -l layer mapped
prints '1 file, 0 would be written'
