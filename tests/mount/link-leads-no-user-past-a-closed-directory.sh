#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need setpriv
chmod 755 "$directory"
mkdir -p srv/closed/deep/dir srv/open low/..data low/shut
echo 'a: 1' >srv/closed/deep/x.yaml
echo 'd: 1' >srv/closed/deep/dir/y.yaml
echo 'o: 1' >srv/open/x.yaml
echo 'i: 1' >low/shut/inside.yaml
echo 'k: 1' >low/..data/kubernetes.yaml
ln -s ..data/kubernetes.yaml low/kubernetes.yaml
ln -s "$directory/srv/closed/deep/x.yaml" low/x.yaml
ln -s ../srv/closed/deep/dir low/dir
ln -s ../srv/open/x.yaml low/open.yaml
ln -s shut/inside.yaml low/inside.yaml
ln -s x.yaml low/twice.yaml
echo 'a: 2' >high/x.yaml
chmod 700 srv/closed low/shut
cat >plyfs.yaml <<'END'
layers: [{path: low, follow: true}, high]
options: {header: false}
files: [{path: made.yaml, from: [dir/*.yaml]}]
END
start -c plyfs.yaml mnt

as_other() { setpriv --reuid 1003 --regid 2003 --clear-groups "$@"; }
denied() { ! as_other cat "mnt/$1" >/dev/null 2>&1; }
let_in() { as_other cat "mnt/$1" >/dev/null 2>&1; }
shows mnt/x.yaml 'a: 2'
shows mnt/dir/y.yaml 'd: 1'
shows mnt/inside.yaml 'i: 1'
shows mnt/made.yaml 'd: 1'
for name in x.yaml dir/y.yaml inside.yaml twice.yaml made.yaml; do
	denied $name || fail "a link leads to $name past a directory that is closed"
done
for name in open.yaml kubernetes.yaml; do
	let_in $name || fail "$name is closed, which nothing on its way is"
done
fails_with 'Permission denied' as_other ls mnt/dir

# A directory that opens, or closes, while the mount runs.
chmod 711 srv/closed
for name in x.yaml dir/y.yaml twice.yaml made.yaml; do
	eventually let_in $name || fail "$name stays closed after its way was opened"
done
chmod 700 srv/closed/deep
for name in x.yaml dir/y.yaml twice.yaml made.yaml; do
	eventually denied $name || fail "$name stays open after its way was closed"
done
chmod 755 low/shut
eventually let_in inside.yaml || fail "inside.yaml stays closed"
chmod 750 low/shut
chgrp 2003 low/shut
member() { setpriv --reuid 1003 --regid 2003 --clear-groups cat mnt/inside.yaml >/dev/null 2>&1; }
eventually member || fail "who may enter the directory by his group is shut out"

# The same in a strict mount, at the next lookup.
chmod 755 srv/closed
stop
sed -i 's/header: false/&, coherence: strict/' plyfs.yaml
start -c plyfs.yaml mnt
denied x.yaml || fail "a link leads past a directory that is closed, in a strict mount"
chmod 755 srv/closed/deep
let_in x.yaml || fail "x.yaml stays closed in a strict mount"
chmod 700 srv/closed
denied x.yaml || fail "x.yaml stays open in a strict mount"
