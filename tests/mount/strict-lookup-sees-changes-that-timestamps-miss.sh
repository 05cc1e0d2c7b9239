#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/dir
echo 'a: 1' >low/app.yaml
echo text >low/dir/motd
printf 'layers: [low, high]\noptions: {coherence: strict}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'

# As long as before, and as old: only ctime differs.
touch -d '2001-01-01' low/app.yaml
shows mnt/app.yaml 'a: 1'
for i in 2 3 4; do
	echo "a: $i" >low/app.yaml
	touch -d '2001-01-01' low/app.yaml
	shows mnt/app.yaml "a: $i"
done
# With another file's time, size and content in turn.
echo 'a: 5' >other
touch -r low/app.yaml other
mv other low/app.yaml
shows mnt/app.yaml 'a: 5'

# Names that come and go, and become something else.
[ ! -e mnt/new ]
echo new >high/new
shows mnt/new new
lists mnt app.yaml dir new
rm high/new
[ ! -e mnt/new ] || fail "a name stays"
lists mnt app.yaml dir
mkdir high/new
[ -d mnt/new ] || fail "a directory does not come"
rmdir high/new
ln -s app.yaml high/new
shows mnt/new 'a: 5'
[ "$(readlink mnt/new)" = app.yaml ]
rm high/new
rm -r low/dir
echo file >low/dir
shows mnt/dir file
rm low/dir
mkdir low/dir
echo again >low/dir/motd
shows mnt/dir/motd again
lists mnt/dir motd

# Rights that are taken away are gone at the next lookup.
chmod 600 low/app.yaml
[ "$(stat -c %a mnt/app.yaml)" = 400 ] || fail "the mode is $(stat -c %a mnt/app.yaml)"
chmod 700 low/dir
[ "$(stat -c %a mnt/dir)" = 500 ] || fail "the directory's mode is $(stat -c %a mnt/dir)"
