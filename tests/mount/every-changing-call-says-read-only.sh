#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
changer=$(dirname "$test_file")/changer.py
mkdir low/dir low/empty
echo 'a: 1' | tee low/app.yaml low/other low/dir/file >/dev/null
ln -s app.yaml low/link

# The twin: on a disk they succeed, so they fail here for no other reason.
python3 "$changer" --twin >succeed
[ "$(cat succeed)" -ge 35 ] || fail "only $(cat succeed) calls succeed on a disk"
rm -r mnt
mkdir mnt

start
shows mnt/app.yaml 'a: 1'
python3 "$changer" || fail "not all of them are refused with EROFS, see above"
shows mnt/app.yaml 'a: 1'
if [ "$(status publisher mode)" = clone ]; then
	findmnt -n -o OPTIONS mnt | grep -q '^ro,' || fail "mount shows: $(findmnt -n -o OPTIONS mnt)"
fi
# A change of the layers still shows, with its event: the publisher is not shut out.
watch mnt
echo 'a: 2' >low/app.yaml
comes_event 'MOVED_TO app.yaml'
unwatch
shows mnt/app.yaml 'a: 2'
