#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need mount.fuse3
echo text >low/motd
printf 'layers: [low, high]\n' >plyfs.yaml
# mount.fuse3 has a shell search the system's directories for "plyfs": mount(8) clears PATH.
need_private
mkdir bin
ln -s "$(realpath "$PLYFS")" bin/plyfs
mount --bind bin /usr/local/bin

mount -t fuse.plyfs "$directory/plyfs.yaml" "$directory/mnt" || fail "mount fails"
shows mnt/motd text
[ "$(findmnt -n -o FSTYPE mnt)" = fuse.plyfs ]
[ "$(findmnt -n -o SOURCE mnt)" = "$directory/plyfs.yaml" ]
umount mnt

mount -t fuse.plyfs -o ro,nosuid,nodev,noatime,nofail,x-systemd.automount \
	"$directory/low:$directory/high" "$directory/mnt"
shows mnt/motd text
umount mnt

mount -t fuse.plyfs -o nosymfollow,noexec "$directory/low" "$directory/mnt"
options=,$(findmnt -n -o VFS-OPTIONS mnt),
[[ $options == *,nosymfollow,* && $options == *,noexec,* ]] || fail "it has $options"
umount mnt

mount -t fuse "plyfs#$directory/low" "$directory/mnt"
shows mnt/motd text
umount mnt

echo "$directory/plyfs.yaml $directory/mnt fuse.plyfs defaults,noauto,nofail 0 0" >fstab
mount -T fstab "$directory/mnt"
shows mnt/motd text
umount mnt

# The form of older versions: an fstab that has it still works.
mount -t fuse.plyfs -o norealtime "$directory/plyfs.yaml" "$directory/mnt" 2>said
grep -q 'norealtime has no effect.*CPUSchedulingPolicy=' said || fail "it says: $(cat said)"
shows mnt/motd text
umount mnt

fails_with 'no mount option' mount -t fuse.plyfs -o nonsense "$directory/plyfs.yaml" "$directory/mnt"
