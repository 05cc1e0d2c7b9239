#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Below a mountpoint, as with -c and -l, a new file may lie in directories that no layer has yet.
start low:high mnt
"$PLYFS" set mnt/a/b/new.yaml port 80 >/dev/null
[ "$(cat high/a/b/new.yaml)" = 'port: 80' ]
shows mnt/a/b/new.yaml 'port: 80'
(
	cd mnt
	"$PLYFS" set ./c//other.yaml port 81 >/dev/null
)
shows mnt/c/other.yaml 'port: 81'
echo 'typed: 1' >typed
EDITOR='cp typed' "$PLYFS" edit mnt/d/typed.yaml >/dev/null
shows mnt/d/typed.yaml 'typed: 1'

# The others say that it is missing, and not that its directory is in no mount.
fails_with 'mnt/x/y.yaml: no layer has such a file' "$PLYFS" explain mnt/x/y.yaml

# Nothing is made by way of '..', below a file, behind a link that leads nowhere, or outside of the mount.
ln -s nowhere high/link
echo text >high/file
shows mnt/file text
made=$(find low high | sort)
for path in mnt/x/../y.yaml mnt/x/../../low/y.yaml mnt/file/y.yaml mnt/link/y.yaml x/y.yaml; do
	fails_with '.' "$PLYFS" set $path port 80
done
# A path that begins with a layer is most likely a mistake.
fails_with "paths are relative to the layers: 'new.yaml'" "$PLYFS" set mnt/high/new.yaml port 80
(
	cd mnt
	fails_with "paths are relative to the layers: 'new.yaml'" "$PLYFS" set high/new.yaml port 80
)
[ "$(find low high | sort)" = "$made" ]
stop

# A tree that plyfs render has made is like a mount.
"$PLYFS" render -l low:high out >/dev/null
"$PLYFS" set out/r/new.yaml port 82 >/dev/null
[ "$(cat high/r/new.yaml)" = 'port: 82' ]
