#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir
echo text >low/dir/file
echo text >high/secret
ln -s dir/file low/link
ln -s dir low/dirlink
ln -s nowhere low/dangling
ln -s /etc/hostname high/outside
ln -s ../../.. high/up
ln -s motd low/over-a-file
echo file >high/over-a-file
start

for link in low/link low/dirlink low/dangling high/outside high/up; do
	[ "$(readlink "mnt/${link#*/}")" = "$(readlink "$link")" ] || fail "$link has another target"
done
shows mnt/link text
shows mnt/dirlink/file text
[ ! -e mnt/dangling ] || fail "a link to nothing leads somewhere"
shows mnt/over-a-file file

"$PLYFS" cat -l low:high link | grep -qx text
"$PLYFS" cat -l low:high dirlink/file | grep -qx text
fails_with 'out of the tree' "$PLYFS" cat -l low:high outside

ln -sfn dir/other low/link
linked() { [ "$(readlink mnt/link)" = dir/other ]; }
eventually linked || fail "a changed link is not seen"
