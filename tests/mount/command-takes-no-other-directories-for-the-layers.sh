#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A container or chroot can see a mount, and have other directories at the paths of its layers. A command there neither
# explains nor changes these, as it would for the mount.
need_root
need_private
mkdir -p other/low other/high
for layer in low high; do
	echo "from: $layer" >$layer/app.yaml
	echo "from: other $layer" >other/$layer/app.yaml
done
mkdir hosts other/hosts

# elsewhere COMMAND...: in a container that has directories of its own.
elsewhere() {
	unshare --mount --propagation private sh -c '
		for layer in low high; do mount --bind "other/$layer" "$layer" || exit 99; done
		exec "$@"' sh "$@"
}
refuses() { fails_with "$directory/low: is another directory here than in the mount" elsewhere "$@"; }

try() {
	refuses "$PLYFS" explain mnt/app.yaml from
	refuses "$PLYFS" get mnt/app.yaml from
	refuses "$PLYFS" set mnt/app.yaml from elsewhere
	refuses "$PLYFS" reset -L high mnt/app.yaml
	refuses "$PLYFS" hide mnt/app.yaml
	refuses "$PLYFS" check mnt
	[ "$(ls -A other/high)" = app.yaml ] && [ "$(cat other/high/app.yaml)" = 'from: other high' ] || fail "it is changed"
	# Nor are they a way to the mount.
	refuses "$PLYFS" explain high/app.yaml
	# Where the directories are the same, it is as ever.
	unshare --mount "$PLYFS" set -L high mnt/app.yaml from here
	[ "$(cat high/app.yaml)" = 'from: here' ]
	elsewhere cat mnt/app.yaml | grep -qx 'from: here'
	echo 'from: high' >high/app.yaml
	# A directory that takes a layer's place is the layer.
	mv high old
	mkdir high
	"$PLYFS" set -L high mnt/app.yaml from again
	[ "$(cat high/app.yaml)" = 'from: again' ]
	comes_to_show mnt/app.yaml 'from: again'
	rm -r high
	mv old high
	comes_to_show mnt/app.yaml 'from: high'
}

start low:high mnt
try
stop
printf 'layers: [low, high, {path: "hosts/%%H", optional: true}]\n' >plyfs.yaml
start -c plyfs.yaml mnt
try
refuses "$PLYFS" set -H web1 mnt/app.yaml from elsewhere
# A layer that has just been made is one.
mkdir "hosts/$(uname -n)"
"$PLYFS" set mnt/app.yaml from host
[ "$(cat "hosts/$(uname -n)/app.yaml")" = 'from: host' ]
stop
