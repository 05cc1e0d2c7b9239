#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# Without a directory for it: good versions are in memory, and in a file without a name.
need python3 setpriv
need_root
forgotten() {
	forget_names
	[ "$(status versions count)" -eq 0 ]
}
forget() { eventually forgotten || fail "the versions stay: $(status versions)"; }
kept() { [ "$(status kept versions)" -eq "$1" ]; }

names='app secret gone'
for name in $names; do
	echo 'a: 1' >low/$name.yaml
	echo 'b: 1' >high/$name.yaml
done
good=$'a: 1\nb: 1'
chmod 600 low/secret.yaml
chmod 711 .
start
for name in $names; do shows mnt/$name.yaml "$good"; done
forget
eventually kept 3 || fail "what was good is not kept: $(status kept)"
for name in $names; do echo 'a: [' >low/$name.yaml; done
rm low/gone.yaml high/gone.yaml

# By the second and the third take-over, too.
for _ in 1 2; do
	renewed
	eventually kept 2 || fail "it is not handed over: $(status kept)"
done
for name in app secret; do shows mnt/$name.yaml "$good"; done
[ ! -e mnt/gone.yaml ] || fail "what was removed is there"
fails_with 'Permission denied' setpriv --reuid 65534 --regid 65534 --clear-groups cat mnt/secret.yaml
for name in app secret; do
	echo 'a: 2' >low/$name.yaml
	comes_to_show mnt/$name.yaml $'a: 2\nb: 1'
done
stop
