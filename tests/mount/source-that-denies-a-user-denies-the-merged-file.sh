#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need python3 setpriv
rights=$(dirname "$test_file")/rights.py
chmod 755 "$directory"
python3 "$rights" make
start -c plyfs.yaml mnt
python3 "$rights" check || fail "rights are given that no source gives, see above"

# A right is taken away while the file is open elsewhere: the next user who opens it does not have it.
as_other() { setpriv --reuid 1003 --regid 2003 --clear-groups "$@"; }
echo 'low: 1' >low/app.yaml
echo 'high: 1' >high/app.yaml
comes_to_show mnt/app.yaml $'low: 1\nhigh: 1'
as_other cat mnt/app.yaml >/dev/null
exec 5<mnt/app.yaml
chmod 640 high/app.yaml
denied() { ! as_other cat mnt/app.yaml >/dev/null 2>&1; }
eventually denied || fail "a right that was taken away is still there"
exec 5<&-

# However soon that comes: the first lookup of a file may be faster than the publisher.
mkdir low/race
comes_to_exist mnt/race
python3 "$rights" race || fail "a directory that is closed, or opens, shows too much"

# While a version is on its way to its place, no user can read it.
fails_with 'Permission denied' as_other ls mnt/.plyfs/stage
fails_with 'Permission denied' as_other stat mnt/.plyfs/stage/new-1

# Nor does an attribute show it, or its directory if that is closed.
mkdir low/secret
chmod 700 low/secret
echo 'key: 1' >low/secret/key.yaml
comes_to_show mnt/secret/key.yaml 'key: 1'
for command in 'cat mnt/secret/key.yaml' 'ls mnt/secret' 'stat mnt/secret/key.yaml'; do
	# shellcheck disable=SC2086
	fails_with 'Permission denied' as_other $command
done
chmod 755 low/secret
open_again() { as_other cat mnt/secret/key.yaml >/dev/null 2>&1; }
eventually open_again || fail "a right that was given is not there"
chmod 711 low/secret
unlisted() { ! as_other ls mnt/secret >/dev/null 2>&1; }
eventually unlisted || fail "a listing is given that the layer denies"
as_other cat mnt/secret/key.yaml >/dev/null

# A layer that joins may be closed to the user.
as_other ls mnt >/dev/null
mkdir -m 711 shut
sed 's/\[low, high\]/[low, high, shut]/' plyfs.yaml | replace plyfs.yaml
unlisted() { ! as_other ls mnt >/dev/null 2>&1; }
eventually unlisted || fail "a layer that has joined is listed for whom it denies it"
