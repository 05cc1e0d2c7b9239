#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need_root
need setpriv
mkdir -p outside low/unseen/{3,4}
echo 'a: 1' >low/app.yaml
echo cover >high/covered
ln low/app.yaml low/covered
ln low/app.yaml low/hidden
touch high/.wh.hidden
ln low/app.yaml low/unseen/name
ln low/app.yaml outside/name
echo 'c: 0' | tee low/3.yaml >low/4.yaml
chmod 755 .
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
start
shows mnt/app.yaml 'a: 1'
shows mnt/3.yaml 'c: 0'
shows mnt/4.yaml 'c: 0'

number=1
for name in low/covered low/hidden low/unseen/name outside/name; do
	echo "a: $((++number))" >$name
	comes_to_show mnt/app.yaml "a: $number"
	as_nobody cat mnt/app.yaml >/dev/null
	chmod 600 $name
	closed() { ! as_nobody cat mnt/app.yaml 2>/dev/null; }
	eventually closed || fail "what $name was closed by is read: $(stat mnt/app.yaml)"
	chmod 644 $name
	opened() { as_nobody cat mnt/app.yaml >/dev/null 2>&1; }
	eventually opened
done

# A name that is made later, where the mount looks.
echo 'b: 1' >low/late.yaml
comes_to_show mnt/late.yaml 'b: 1'
ln low/late.yaml low/second.yaml
ln low/late.yaml outside/late
comes_to_show mnt/second.yaml 'b: 1'
echo 'b: 2' >outside/late
comes_to_show mnt/late.yaml 'b: 2'
comes_to_show mnt/second.yaml 'b: 2'
# They are two files in the mount: later they could differ.
[ "$(stat -c %i mnt/late.yaml)" != "$(stat -c %i mnt/second.yaml)" ]
[ "$(stat -c %h mnt/late.yaml)" -eq 1 ]

# Names that are made where the mount has not looked yet, and then looked up.
for number in 3 4; do
	ln low/$number.yaml low/unseen/$number/name
	echo "c: $number" >low/unseen/$number/name
	shows mnt/unseen/$number/name "c: $number"
	comes_to_show mnt/$number.yaml "c: $number"
done

# A symbolic link with another name has that name's times and owner, too.
ln -s target outside/link
ln -P outside/link low/link
[ "$(readlink mnt/link)" = target ]
touch -h -d '2001-02-03 UTC' outside/link
has_time() { [ "$(stat -c %Y mnt/link)" = "$(stat -c %Y outside/link)" ]; }
eventually has_time || fail "the link has another time: $(stat mnt/link)"
chown -h 1 outside/link
has_owner() { [ "$(stat -c %u mnt/link)" = 1 ]; }
eventually has_owner || fail "the link has another owner: $(stat mnt/link)"
comes_to_equal_fresh
