#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need_private
mkdir -p 'layers/my os' layers/12 layers/second
echo 'os: mine' >'layers/my os/app.yaml'
echo 'version: 12' >layers/12/app.yaml
echo 'version: second' >layers/second/app.yaml
cat >plyfs.yaml <<'E'
layers: [{path: "layers/%o", optional: true}, {path: "layers/%w", optional: true}]
options: {header: false}
E
os_release() { # TEXT
	printf "$1" >os-release
	[ -e /etc/os-release ] || skip 'there is no /etc/os-release'
	mount --bind os-release "$(realpath /etc/os-release)"
}
shows_os() { # TEXT, OUTPUT
	os_release "$1"
	start -c plyfs.yaml mnt
	shows mnt/app.yaml "$2"
	stop
	umount "$(realpath /etc/os-release)"
}
is_refused() { # TEXT, MESSAGE
	os_release "$1"
	fails_with "$2" "$PLYFS" cat -c plyfs.yaml app.yaml
	umount "$(realpath /etc/os-release)"
}

# As a shell reads it: quotes, comments, and the last of two.
shows_os '# ID=no\nNAME=x\nID="my os"\nVERSION_ID=12\n' $'os: mine\nversion: 12'
shows_os "VERSION_ID=1\nVERSION_ID='second'\n" 'version: second'
shows_os 'ID=my\\ os' 'os: mine'
# A long line stays one line, whatever is in it.
long=$(printf '%400s' | tr ' ' x)
for from in {305..320}; do
	is_refused "VERSION_ID=13\nNAME=\"${long:0:from}VERSION_ID='12'\"\n" 'no layer'
done
# A value is one name in a path, and never leads elsewhere.
is_refused 'ID="../12"\n' "the ID in /etc/os-release '../12' is no file name"
is_refused 'ID=..\n' "the ID in /etc/os-release '..' is no file name"
# Without a value the layer is missing.
is_refused 'ID=\nVERSION_ID=""\n' 'no layer'
# The daemon reads it again in its sandbox.
os_release 'VERSION_ID=12\n'
start -c plyfs.yaml mnt
shows mnt/app.yaml 'version: 12'
printf 'VERSION_ID=second\n' >os-release
echo '# changed' >>plyfs.yaml
comes_to_show mnt/app.yaml 'version: second'
stop
