#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"
# The daemon compares the table of mounts with the paths that it resolved for the settings in force. A layer that comes with
# an edit, or a link that is turned, has other paths: a mount over them, or in the layer, shows, and so does its end.

need pgrep
mkdir -p low/sub low/dir added/conf turned/conf over/conf other
echo 'a: 1' | tee low/sub/app.yaml >low/dir/app.yaml
echo 'a: 2' >added/conf/app.yaml
echo 'a: 3' | tee over/conf/app.yaml >over/app.yaml
echo 'a: 4' >turned/conf/app.yaml
ln -s "$directory/added" current
elsewhere() {
	mount -t tmpfs none other
	umount other
	sleep 0.3
}
# covered DIRECTORY FILE TEXT: while a mount is over the directory, the file shows `a: 3`; before and after it, TEXT.
covered() {
	comes_to_show "$2" "$3"
	mount --bind over "$1"
	comes_to_show "$2" 'a: 3'
	umount -l "$1"
	comes_to_show "$2" "$3"
}
settings() {
	printf 'layers: [%s]\noptions: {header: false}\n' "$1" | replace plyfs.yaml
}
settings low/sub
start -c plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'
elsewhere

# No name is on its path that was not on the former one.
settings low
covered low/dir mnt/dir/app.yaml 'a: 1'

# A link leads to it. Also after a comparison with the new paths, and after the link leads elsewhere.
settings current/conf
covered added mnt/app.yaml 'a: 2'
elsewhere
covered added mnt/app.yaml 'a: 2'
elsewhere
ln -s "$directory/turned" new
mv -T new current
covered turned mnt/app.yaml 'a: 4'

# So it does if something is mounted elsewhere while the settings are read.
mkdir part
make_silent part half_FORGET
settings() {
	printf 'layers: [%s]\noptions: {header: false, answer_timeout: 1m}\nfacts: part/app.yaml\n' "$1" | replace plyfs.yaml
}
settings low/sub
comes_to_show mnt/app.yaml 'a: 1'
elsewhere
answers_no READ
settings low
eventually pgrep -P "$plyfs_pid" -x plyfs-settings >/dev/null || fail "it does not read the settings"
elsewhere
answers_no NONE
covered low/dir mnt/dir/app.yaml 'a: 1'
stop
