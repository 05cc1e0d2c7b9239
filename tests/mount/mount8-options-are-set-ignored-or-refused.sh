#!/bin/bash
. "$(dirname "$0")/mount.sh"

printf '#!/bin/sh\necho ran\n' >low/program
chmod 755 low/program
ln -s program low/link

attributes() { findmnt -n -o VFS-OPTIONS mnt; }
runs() { mnt/program >/dev/null 2>&1; }
has() { [[ ,$(attributes), == *",$1,"* ]]; }
# may_do OPTIONS EXEC FOLLOW: with the options programs can or can't be executed, and links are or are not followed.
may_do() {
	mount_options=$1
	start
	[ "$(runs && echo yes)" = "$2" ] || fail "-o $1: programs run: $(runs && echo yes)"
	[ "$(cat mnt/link >/dev/null 2>&1 && echo yes)" = "$3" ] || fail "-o $1: links: $(cat mnt/link 2>&1)"
	[ "$(readlink mnt/link)" = program ] || fail "-o $1: readlink(2) fails"
	has ro || [ "$(id -u)" -ne 0 ] || fail "-o $1: it is $(attributes)"
}

# Set; if two contradict each other, the last one counts.
may_do noexec '' yes
has noexec || fail "it has not noexec: $(attributes)"
stop
may_do noexec,exec yes yes
stop
# Since util-linux 2.39, the flags may say for what they are meant.
for word in vfs fs recursive; do
	may_do "noexec=$word,ro=$word,nosuid=$word" '' yes
	stop
done
if [ "$(id -u)" -eq 0 ]; then
	may_do nosymfollow yes ''
	has nosymfollow || fail "it has not nosymfollow: $(attributes)"
	# Publishing through that mount works as ever, also for links.
	echo new >low/new
	ln -sfn new low/link
	comes_to_show mnt/new new
	links_to_new() { [ "$(readlink mnt/link)" = new ]; }
	eventually links_to_new || fail "a link is not published"
	ln -sfn program low/link
	stop
	may_do nosymfollow,noexec '' ''
	stop
	may_do nosymfollow,symfollow yes yes
	stop
fi

# Each of them is accepted, and has no effect.
words='defaults ro rw suid nosuid dev nodev exec symfollow auto noauto user nouser user=me users nousers owner noowner
	group nogroup nofail _netdev async sync dirsync atime noatime diratime nodiratime relatime norelatime strictatime
	nostrictatime lazytime nolazytime iversion noiversion mand nomand silent loud comment=text helper=some uhelper=some
	x-systemd.automount x-gvfs-show x-comment="one,two,remount" comment="a,bind" X-mount.mkdir X-mount.mkdir=0700'
# shellcheck disable=SC2086
may_do "$(echo $words | tr ' ' ,)" yes yes
for word in nosuid nodev; do
	has $word || fail "it has not $word: $(attributes)"
done
stop

# The mountpoint is made with the mode that is given.
"$PLYFS" mount -o X-mount.mkdir=0710 low:high made/mnt
"$PLYFS" umount made/mnt
[ "$(stat -c %a made made/mnt | xargs)" = '710 710' ] || fail "it is made with another mode: $(ls -lR made)"

# Refused, with the reason.
mount_options=
refuses() {
	fails_with "$2" "$PLYFS" mount -o "$1" low:high mnt
	! is_mounted mnt || fail "-o $1: it is mounted"
}
for value in 0 0999 0x1 77777; do
	refuses X-mount.mkdir=$value "'X-mount.mkdir=$value' has no mode"
done
refuses remount "'remount' is not needed: a change of plyfs.yaml takes effect at once"
for word in bind rbind move shared rshared slave rslave rprivate unbindable runbindable; do
	refuses $word "'$word' is for an existing mount"
done
for word in context fscontext defcontext rootcontext; do
	refuses $word=some_u:some_r:some_t "'$word' is not possible: plyfs gives its files no SELinux context"
done
for word in loop=/dev/loop0 offset=1 sizelimit=1; do
	refuses $word "'${word%%=*}' is for the images of disks"
done
for word in X-mount.subdir=some X-mount.owner=0 X-mount.mode=700; do
	refuses $word "'${word%%=*}' is for mount(8) alone"
done
for word in noexec=1 nosymfollow=1; do
	refuses $word "'${word%%=*}' takes no value"
done
refuses 'x-comment="one,two",remount' "'remount' is not needed"
refuses 'x-comment=on"e,noexec' 'the quoted text of the mount option '"'x-comment' has no end"
refuses 'x-comment="one' 'the quoted text of the mount option '"'x-comment' has no end"
refuses nosymfolow "did you mean 'nosymfollow'"
refuses nonsense "there is no mount option 'nonsense'"
if [ "$(id -u)" -ne 0 ]; then
	refuses nosymfollow "only root can"
fi
