#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3 inotifywait
# As the kubelet writes a ConfigMap: app.yaml -> ..data/app.yaml, ..data -> ..2024_1.
publish_volume() {
	mkdir "high/..$1"
	echo "$2" >"high/..$1/app.yaml"
	echo "$3" >"high/..$1/other.yaml"
	echo same >"high/..$1/same"
	ln -s "..$1" high/..data_tmp
	mv -T high/..data_tmp high/..data
}
publish_volume 2024_1 'a: 1' 'b: 1'
for name in app.yaml other.yaml same; do
	ln -s ..data/$name high/$name
done
echo 'low: 1' >low/app.yaml
printf 'layers: [low, {path: high, follow: true}]\noptions: {header: false}\n' >plyfs.yaml
start -c plyfs.yaml mnt
lists mnt app.yaml other.yaml same
[ ! -e mnt/..data ] && [ ! -e mnt/..2024_1 ] || fail "what a volume consists of is shown"
shows mnt/app.yaml $'low: 1\na: 1'
shows mnt/other.yaml 'b: 1'
shows mnt/same same

# Each changed path is published once, and no other is. A change shows before its event comes.
come_events() { # NAME COUNT
	have_come() { [ "$(grep -c "MOVED_TO $1" events)" -ge "$2" ]; }
	eventually have_come "$1" "$2" || fail "$1 was not published $2 times: $(cat events)"
}
watch mnt
for i in 2 3 4; do
	publish_volume 2024_$i "a: $i" "b: $i"
	rm -r high/..2024_$((i - 1))
	comes_to_show mnt/app.yaml $'low: 1\na: '$i
	comes_to_show mnt/other.yaml "b: $i"
	come_events app.yaml $((i - 1))
	come_events other.yaml $((i - 1))
done
publish_volume 2024_5 'a: 5' 'b: 4'
comes_to_show mnt/app.yaml $'low: 1\na: 5'
come_events app.yaml 4
unwatch
for name in app.yaml:4 other.yaml:3 same:0; do
	[ "$(grep -c "MOVED_TO ${name%:*}" events || true)" -eq "${name#*:}" ] ||
		fail "${name%:*} was not published ${name#*:} times: $(cat events)"
done

# A key goes, another comes.
mkdir high/..2024_6
echo 'c: 1' >high/..2024_6/new.yaml
ln -s ..2024_6 high/..data_tmp
mv -T high/..data_tmp high/..data
ln -s ..data/new.yaml high/new.yaml
comes_to_list mnt app.yaml new.yaml
comes_to_show mnt/new.yaml 'c: 1'
comes_to_show mnt/app.yaml 'low: 1'
is_well() { [ "$(status troubles)" = '[]' ]; }
eventually is_well || fail "the troubles: $(status troubles)"
stop

# The twin: without `follow` they are shown as links and names like any other.
start low:high mnt
[ "$(readlink mnt/new.yaml)" = ..data/new.yaml ]
[ -d mnt/..2024_6 ] || fail "names of a layer that follows no links are hidden"
