#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
start
exec 5<mnt/app.yaml
first=$(stat -L -c %i /dev/fd/5)

echo 'b: 2' | replace high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
[ "$(stat -c %i mnt/app.yaml)" != "$first" ] || fail "another version has the same inode number"
[ "$(stat -L -c %i /dev/fd/5)" = "$first" ]
[ "$(cat <&5)" = $'a: 1\nb: 1' ] || fail "an open file has changed"

# Also when the file, and its directory, are gone.
exec 5<&-
mkdir low/dir
echo text >low/dir/motd
comes_to_show mnt/dir/motd text
exec 5<mnt/dir/motd
rm -r low/dir
comes_to_vanish mnt/dir
[ "$(cat <&5)" = text ]
exec 5<&-
