#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3 getfattr setpriv
need_root
forgotten() {
	forget_names
	[ "$(status versions count)" -eq 0 ]
}
kept() { [ "$(status kept versions)" -eq "$1" ]; }
forget() { eventually forgotten || fail "the versions stay: $(status versions)"; }
stranger() { setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"; }
in_trouble() { [[ $(attribute "mnt/$1" user.plyfs.error) == *"$2"* ]]; }

# Files of two layers; a file of one source is shown byte for byte.
names='app dir/app shut/app secret gone'
mkdir -p low/dir low/shut high/dir high/shut
for name in $names; do
	echo 'a: 1' >low/$name.yaml
	echo 'b: 1' >high/$name.yaml
done
good=$'a: 1\nb: 1'
chmod 600 low/secret.yaml
chmod 700 low/shut
chmod 711 .
start
cat mnt/app.yaml mnt/dir/app.yaml mnt/shut/app.yaml mnt/secret.yaml mnt/gone.yaml >/dev/null
stat -c '%i %Y %Z %a' mnt/app.yaml >before
forget
for name in $names; do echo 'a: [' >low/$name.yaml; done
for name in $names; do shows mnt/$name.yaml "$good"; done
stat -c '%i %Y %Z %a' mnt/app.yaml | cmp - before || fail "the same bytes are another file"
in_trouble app.yaml "ago is served" || fail "nothing tells it: $(attribute mnt/app.yaml user.plyfs.error)"
[ "$(attribute mnt/app.yaml user.plyfs.layers)" = low:high ] || fail "its layers are $(attribute mnt/app.yaml user.plyfs.layers)"

# A user who may not read it, because of its old sources or the current ones, still can't read it.
fails_with 'Permission denied' stranger cat mnt/secret.yaml
[ "$(stranger cat mnt/dir/app.yaml)" = "$good" ] || fail "who may read it does not"
for name in $names; do echo 'a: 2' >low/$name.yaml; done
for name in $names; do comes_to_show mnt/$name.yaml $'a: 2\nb: 1'; done
forget
chmod 600 low/dir/app.yaml
echo 'a: [' >low/dir/app.yaml
shows mnt/dir/app.yaml $'a: 2\nb: 1'
fails_with 'Permission denied' stranger cat mnt/dir/app.yaml

# A removed file is gone for good, and a mended file is mended.
eventually kept 5 || fail "what was good is not kept: $(status kept)"
rm low/gone.yaml high/gone.yaml
eventually kept 4 || fail "what was removed is kept: $(status kept)"
echo 'a: 3' >low/dir/app.yaml
comes_to_show mnt/dir/app.yaml $'a: 3\nb: 1'
stop

# If the settings ask for an error, it is shown.
echo 'a: 1' >low/app.yaml
printf 'layers: [low, high]\noptions: {on_error: fail, header: false}\n' >plyfs.yaml
mount_options=
start -c plyfs.yaml mnt
shows mnt/app.yaml "$good"
forget
echo 'a: [' >low/app.yaml
fails_with 'Input/output error' cat mnt/app.yaml
stop
