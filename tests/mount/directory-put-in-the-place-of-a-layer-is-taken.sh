#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need inotifywait python3
echo 'a: 1' >low/app.yaml
mkdir -p high/dir
echo 'b: 1' | tee high/app.yaml high/dir/app.yaml >/dev/null
start
shows mnt/app.yaml $'a: 1\nb: 1'
shows mnt/dir/app.yaml 'b: 1'

# As a deployment does it: the new directory is complete before it takes the name.
mkdir -p next/dir
echo 'b: 2' | tee next/app.yaml next/dir/app.yaml >/dev/null
echo new >next/motd
watch mnt mnt/dir
mv high previous
mv next high
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
comes_to_show mnt/dir/app.yaml 'b: 2'
comes_to_show mnt/motd new
comes_event 'mnt/ MOVED_TO motd' # a reader sees a new file before its event
unwatch
[ "$(grep -c 'mnt/ MOVED_TO motd' events)" -eq 1 ] || fail "the events were: $(cat events)"

# plyfs watches the new one, and no longer looks at the old one.
echo 'b: 3' >high/dir/app.yaml
echo 'b: old' | tee previous/app.yaml previous/dir/app.yaml >/dev/null
comes_to_show mnt/dir/app.yaml 'b: 3'
sleep 0.3
comes_to_equal_fresh

# It stays shown while it is moved away in its turn, also files that no program has looked up before. A directory that
# takes its place by an exchange is shown at once, while the directory from before is removed.
mkdir high/later
for number in {1..300}; do echo "high: $number" >"high/later/$number.yaml"; done
comes_to_show mnt/later/1.yaml 'high: 1'
mv high away
for number in {2..100}; do shows "mnt/later/$number.yaml" "high: $number"; done
mv away high
cp -a high next
for number in {101..300}; do
	shows "mnt/later/$number.yaml" "high: $number"
	[ $((number % 20)) -ne 0 ] ||
		python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).renameat2(-100, b"high", -100, b"next", 2) != 0)'
done
stop
! grep 'denied' log || fail "a layer was out of reach, see above"

# By a link that is turned, such as "current -> release-7".
mkdir release-1 release-2
echo 'r: 1' >release-1/app.yaml
echo 'r: 2' >release-2/app.yaml
ln -s release-1 current
start low:current mnt
shows mnt/app.yaml $'a: 1\nr: 1'
ln -s release-2 turned
mv -T turned current
comes_to_show mnt/app.yaml $'a: 1\nr: 2'
echo 'r: 3' >release-2/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nr: 3'

# While it is missing the mount goes on with what it has, and reports that.
rm current
told() { [[ $(status settings error 2>/dev/null) == *current* ]]; }
eventually told || fail "the status does not tell that a layer is missing: $(cat mnt/.plyfs/status)"
shows mnt/app.yaml $'a: 1\nr: 3'
ln -s release-1 current
comes_to_show mnt/app.yaml $'a: 1\nr: 1'
mended() { ! told; }
eventually mended || fail "the error stays"
