#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/opens.sh"

# Where links of a layer are followed, a mount over what a link leads to, on the way there, or below it shows at once, and
# so does its end. inotify reports none of these. A mount that no link leads to causes nothing.
need_root
need strace
need_private
mkdir -p away/conf/sub over/conf/sub other
echo 'v: 1' | tee away/conf/app.yaml >away/conf/sub/app.yaml
echo 'v: 2' | tee over/conf/app.yaml >over/conf/sub/app.yaml
echo 'v: 3' >file.yaml
ln -s "$directory/away/conf/app.yaml" low/app.yaml
ln -s ../away/conf low/dir
printf 'layers: [{path: low, follow: true}, high]\noptions: {header: false}\n' >plyfs.yaml
start -c plyfs.yaml mnt

names="app.yaml dir/app.yaml dir/sub/app.yaml"
all_show() {
	local name
	for name in $names; do
		comes_to_show "mnt/$name" "$1"
	done
}
all_show 'v: 1'
# On the way; the directory with the file; the directory below what a link leads to; the file itself.
for place in away away/conf; do
	mount --bind "over/${place#away}" $place
	all_show 'v: 2'
	umount -l $place
	all_show 'v: 1'
done
names=dir/sub/app.yaml
mount --bind over/conf/sub away/conf/sub
all_show 'v: 2'
umount -l away/conf/sub
all_show 'v: 1'
names="app.yaml dir/app.yaml"
mount --bind file.yaml away/conf/app.yaml
all_show 'v: 3'
umount -l away/conf/app.yaml
all_show 'v: 1'

# Elsewhere.
trace_opens
ticks=$(awk '{ print $14 + $15 }' "/proc/$plyfs_pid/stat")
for _ in $(seq 20); do
	mount --bind over other
	umount other
done
await_rest
(($(awk '{ print $14 + $15 }' "/proc/$plyfs_pid/stat") - ticks < 50)) || fail "mounts elsewhere cost much"
end_trace
# The table of mounts is read, and the paths are resolved.
! grep -vE 'O_PATH|"/proc/self/mountinfo"' opened || fail "mounts elsewhere cause reloads"
stop
