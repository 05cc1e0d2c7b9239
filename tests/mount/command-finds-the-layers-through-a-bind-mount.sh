#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A path in a bind mount of the tree, or of one of its directories, leads to the same layers as in the tree itself.
need_root
need_private
mkdir -p low/dir/sub high/dir tree part 'de ep'
echo 'port: 80' | tee low/dir/app.yaml >low/dir/sub/app.yaml
echo 'port: 8080' >high/dir/app.yaml
start low:high mnt
mount --bind mnt tree
mount --bind mnt/dir part
mount --bind mnt/dir/sub 'de ep'

for path in mnt/dir/app.yaml tree/dir/app.yaml part/app.yaml; do
	[ "$("$PLYFS" get $path port)" = 8080 ] || fail "$path has no port"
	explain $path port | grep -q "^  lost  80  *low  *$directory/low/dir/app.yaml:1:7" || fail "$path is not explained"
done
[ "$("$PLYFS" get 'de ep/app.yaml' port)" = 80 ]
(cd part && [ "$("$PLYFS" get sub/../app.yaml port)" = 8080 ])
[ "$("$PLYFS" ls part)" = $'app.yaml\nsub' ] || fail "it lists: $("$PLYFS" ls part)"
(cd part && [ "$("$PLYFS" ls)" = $'app.yaml\nsub' ])
[ "$("$PLYFS" check part)" = '2 files: all merge' ] || fail "it says: $("$PLYFS" check part)"
"$PLYFS" status part | grep -qx "$directory/mnt: plyfs .*"
"$PLYFS" set part/app.yaml port 81
[ "$(cat high/dir/app.yaml)" = 'port: 81' ]
comes_to_show part/app.yaml 'port: 81'
fails_with 'no layer has such a file' "$PLYFS" explain part/nothing

# Where the tree itself is hidden, the file can still be printed.
mount -t tmpfs tmpfs mnt
[ "$("$PLYFS" cat part/app.yaml)" = 'port: 81' ]
umount mnt
umount tree part 'de ep'
