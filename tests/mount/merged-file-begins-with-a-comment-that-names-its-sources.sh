#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir -p low/hosts low/roles
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
echo 'b:   1 # one layer' >low/one.yaml
printf 'b: !delete\nc: 1\n' >low/directive.yaml
echo '{"a": 1}' >low/app.json
echo '{"b": 1}' >high/app.json
echo text | tee low/motd high/motd >/dev/null
: | tee low/empty.yaml high/empty.yaml
printf '#cloud-config\na: 1\n' >low/user-data
printf '#cloud-config\nb: 1\n' >high/user-data
printf '_merge: web\na: 1\n' >low/hosts/www.yaml
echo 'b: 1' >low/roles/web.yaml
cat >plyfs.yaml <<-'END'
	layers: [low, high]
	rules:
	  - {match: user-data, strategy: cloud-init}
	  - {match: hosts/*, strategy: pillar}
	files:
	  - {path: all.yaml, from: "*p.yaml"}
END
mount_options=
start -c plyfs.yaml mnt

begin='# Merged by plyfs'
shows mnt/app.yaml "$begin (deep); edit the sources: $PWD/low/app.yaml, $PWD/high/app.yaml"$'\na: 1\nb: 1'
shows mnt/all.yaml "$begin (deep); edit the sources: $PWD/low/app.yaml, $PWD/high/app.yaml"$'\na: 1\nb: 1'
shows mnt/directive.yaml "$begin (deep); edit the sources: $PWD/low/directive.yaml"$'\nc: 1'
shows mnt/user-data \
	$'#cloud-config\n'"$begin (cloud-init); edit the sources: $PWD/low/user-data, $PWD/high/user-data"$'\na: 1\nb: 1'
shows mnt/hosts/www.yaml \
	"$begin (pillar); edit the sources: $PWD/low/hosts/www.yaml, $PWD/low/roles/web.yaml"$'\na: 1\nb: 1'
shows mnt/one.yaml 'b:   1 # one layer'
shows mnt/motd text
shows mnt/app.json $'{\n  "a": 1,\n  "b": 1\n}'
[ ! -s mnt/empty.yaml ] || fail "nothing merged is not an empty file: $(cat mnt/empty.yaml)"
for name in app.yaml app.json; do
	"$PLYFS" merge --header "$PWD/low/$name" "$PWD/high/$name" | cmp - mnt/$name
	"$PLYFS" cat mnt/$name | cmp - mnt/$name
done
for path in app.yaml user-data hosts/www.yaml app.json; do
	"$PLYFS" cat -c plyfs.yaml $path | cmp - mnt/$path
done

# A name can't end the comment.
name=$'x\nroot: true\n.yaml'
echo 'a: 1' | tee low/"$name" high/"$name" >/dev/null
# While there is only one source, there is no comment.
has_both() { [ "$(sed -n 2p mnt/"$name" 2>/dev/null)" = 'a: 1' ]; }
eventually has_both || fail "the name broke out: $(cat mnt/"$name")"
[[ $(head -1 mnt/"$name") == *'high/x\x0Aroot: true\x0A.yaml' ]]

# It comes and goes with the setting, and with the sources.
echo 'options: {header: false}' >>plyfs.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 1'
sed -i 's/header: false/header: true/' plyfs.yaml
comes_to_show mnt/app.yaml \
	"$begin (deep); edit the sources: $PWD/low/app.yaml, $PWD/high/app.yaml"$'\na: 1\nb: 1'
rm high/app.yaml
comes_to_show mnt/app.yaml 'a: 1'
stop

# The mount's own option comes before the settings, now and when plyfs.yaml is read again.
echo 'b: 1' >high/app.yaml
mount_options=noheader
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
sed -i '/files:/,/path:/d' plyfs.yaml
eventually test ! -e mnt/all.yaml || fail "plyfs.yaml is not read again"
shows mnt/app.yaml $'a: 1\nb: 1'
stop
mount_options=
start
shows mnt/app.yaml "$begin (deep); edit the sources: $PWD/low/app.yaml, $PWD/high/app.yaml"$'\na: 1\nb: 1'
