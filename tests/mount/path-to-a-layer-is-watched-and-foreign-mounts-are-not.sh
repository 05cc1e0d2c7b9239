#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/opens.sh"
# A link or a directory in the path to a layer or to plyfs.yaml may be turned or moved. That shows at once, also on a
# machine where nothing is ever mounted. A mount elsewhere, by another program, makes plyfs read nothing again.

need_root
need strace
need_private
mkdir -p releases/1/conf releases/2/conf etc/1 etc/2 other
echo 'a: 1' >releases/1/conf/app.yaml
echo 'a: 2' >releases/2/conf/app.yaml
ln -s releases/1 current
printf 'layers: [%s/current/conf]\noptions: {header: false}\n' "$PWD" | tee etc/1/plyfs.yaml >etc/2/plyfs.yaml
echo 'files: [{path: all.yaml, from: [app.yaml], strategy: deep}]' >>etc/2/plyfs.yaml
ln -s 1 etc/now
start -c etc/now/plyfs.yaml mnt
shows mnt/app.yaml 'a: 1'

# A link in the middle of a layer's path, in both directions, and one more link behind it.
turn() { ln -sfn "$1" "$2.new" && mv -T "$2.new" "$2"; }
for n in 2 1 2 1; do
	turn releases/$n current
	comes_to_show mnt/app.yaml "a: $n"
done
mv releases/1/conf releases/1/old
mkdir releases/1/conf
echo 'a: 3' >releases/1/conf/app.yaml
comes_to_show mnt/app.yaml 'a: 3'
mv releases elsewhere
mkdir -p releases/1/conf
echo 'a: 4' >releases/1/conf/app.yaml
comes_to_show mnt/app.yaml 'a: 4'

# In the path to plyfs.yaml.
[ ! -e mnt/all.yaml ] || fail "these are the other settings"
turn 2 etc/now
comes_to_exist mnt/all.yaml

# A mount elsewhere is ignored; a mount over a directory of the path is not.
trace_opens
for _ in $(seq 20); do
	mount -t tmpfs none other
	umount other
done
end_trace
reloads=$(grep 'plyfs\.yaml' opened | grep -vc O_PATH || true)
[ "$reloads" -eq 0 ] || fail "plyfs.yaml is read $reloads times for 40 changes of other mounts"
# The first change after a reload resolves the paths; the others only read the table, which is open.
count=$(wc -l <opened)
[ "$count" -lt 100 ] || fail "$count files are opened for 40 changes of other mounts"
mkdir -p over/conf
echo 'a: 5' >over/conf/app.yaml
mount --bind over releases/1
comes_to_show mnt/app.yaml 'a: 5'
umount releases/1 2>/dev/null || umount -l releases/1
comes_to_show mnt/app.yaml 'a: 4'

# In a layer, below its directory.
mkdir releases/1/conf/sub
echo 'b: 1' >releases/1/conf/sub/more.yaml
comes_to_show mnt/sub/more.yaml 'b: 1'
mkdir sub
echo 'b: 2' >sub/more.yaml
mount --bind sub releases/1/conf/sub
comes_to_show mnt/sub/more.yaml 'b: 2'
umount releases/1/conf/sub 2>/dev/null || umount -l releases/1/conf/sub
comes_to_show mnt/sub/more.yaml 'b: 1'
stop
