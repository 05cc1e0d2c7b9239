#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

# As container runtimes do, with a volume that is one file. inotify reports a change of the file to the directory that the
# file comes from, by whichever name it is written.
need_root
need_private
mkdir host linked
echo 'v: 0' | tee host/app.yaml host/target.yaml host/late.yaml >low/late.yaml
touch low/app.yaml linked/target.yaml plyfs.yaml
mount --bind host/app.yaml low/app.yaml
mount --bind host/target.yaml linked/target.yaml
ln -s ../linked/target.yaml low/link.yaml
settings() { printf 'layers: [{path: low, follow: true}%s]\noptions: {header: false}\n' "$1"; }
settings '' >host/plyfs.yaml
mount --bind host/plyfs.yaml plyfs.yaml
at_end "umount -l plyfs.yaml linked/target.yaml low/late.yaml low/app.yaml 2>/dev/null"
start -c plyfs.yaml mnt
shows mnt/late.yaml 'v: 0'
mount --bind host/late.yaml low/late.yaml

number=0
for name in host/app.yaml low/app.yaml host/app.yaml; do
	echo "v: $((++number))" >$name
	comes_to_show mnt/app.yaml "v: $number"
done
shows mnt/link.yaml 'v: 0'
for name in host/target.yaml linked/target.yaml; do
	echo "v: $((++number))" >$name
	comes_to_show mnt/link.yaml "v: $number"
done
for name in host/late.yaml low/late.yaml; do
	echo "v: $((++number))" >$name
	comes_to_show mnt/late.yaml "v: $number"
done
chmod 600 host/app.yaml
is_closed() { [ "$(stat -c %a mnt/app.yaml)" = 400 ]; }
eventually is_closed || fail "$(stat mnt/app.yaml)"
comes_to_equal_fresh -c plyfs.yaml

# The settings, by either name.
echo 'w: 1' >high/app.yaml
sleep 1.5 # a recent change is checked once more
settings ', high' >host/plyfs.yaml
comes_to_show mnt/app.yaml $'v: 3\nw: 1'
settings '' >plyfs.yaml
comes_to_show mnt/app.yaml 'v: 3'
umount low/app.yaml
comes_to_show mnt/app.yaml ''
