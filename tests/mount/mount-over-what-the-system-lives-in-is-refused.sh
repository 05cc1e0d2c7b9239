#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A mount over /, /etc, /usr and the like is refused as a likely mistake, however the directory is named.
need_root
need_private
echo 'a: 1' >low/app.yaml
ln -s /etc link
mkdir bound etc-app
mount --bind /usr bound
at_end 'umount -l "$directory/bound"'

refused() {
	local code=0
	"$PLYFS" mount low:high "$1" 2>err || code=$?
	[ $code -eq 1 ] || fail "$1: exit status $code, $(cat err)"
	grep -q "^plyfs: $1: is the system's own $2: .*-o over_system" err || fail "$1: $(cat err)"
	! is_mounted "$1" || [ "$1" != "$2" ] || [[ "$(stat -f -c %T "$1")" != fuse* ]] || fail "$1 is mounted over"
}
refused / /
refused // /
refused /etc/.. /
refused /etc /etc
refused /etc/ /etc
refused //etc//. /etc
refused link /etc
refused /proc/self/root/etc /etc
refused /proc /proc
refused /sys /sys
refused /dev /dev
[ ! -e /dev/pts ] || refused /dev/pts /dev/pts
[ ! -e /dev/shm ] || refused /dev/shm /dev/shm
refused /usr /usr
refused bound /usr
refused /var /var
refused /run /run
refused /home /home
refused /root /root
refused /tmp /tmp
[ ! -e /boot ] || refused /boot /boot
# The kernel's own file systems, and the directory of the C library, without which no program starts.
refused /proc/sys /proc/sys
refused /sys/kernel /sys/kernel
mkdir kernel
mount -t proc proc kernel
at_end 'umount -l "$directory/kernel"'
refused kernel "$directory/kernel"
refused kernel/sys "$directory/kernel/sys"
library=$(dirname "$(realpath "$(ldd "$(command -v bash)" | awk '$1 == "libc.so.6" { print $3 }')")")
refused "$library" "$library"
code=0
"$PLYFS" mount low:high /bin 2>err || code=$?
[ $code -eq 1 ] && grep -q over_system err || fail "/bin: $(cat err)"
# The forms of mount(8) and /etc/fstab are the same.
"$PLYFS" low:high /etc -o rw,nosuid 2>err && fail "it was mounted"
grep -q over_system err || fail "it says: $(cat err)"

# Directories in them are allowed, and with the option over_system so is one of them.
start low:high etc-app
stop etc-app
mount_options=noheader,over_system
start low:high bound
shows bound/app.yaml 'a: 1'
stop bound
refused bound /usr
