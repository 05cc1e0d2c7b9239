#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need python3 inotifywait
mkdir -p srv/shared srv/releases/{7,8}/conf low/dir
echo 'a: 1' >srv/shared/x.yaml
echo 'r: 7' >srv/releases/7/conf/app.yaml
echo 'r: 8' >srv/releases/8/conf/app.yaml
ln -s releases/7 srv/current
ln -s "$directory/srv/shared/x.yaml" low/absolute.yaml
ln -s ../../srv/shared/x.yaml low/dir/relative.yaml
ln -s ../srv/current high/current
ln -s current/conf/app.yaml high/nested.yaml
ln -s chain2 high/chain1
ln -s "$directory/srv/chain3" high/chain2
ln -s shared/x.yaml srv/chain3
ln -s ../low/plain.yaml high/other-layer.yaml
echo 'p: 1' >low/plain.yaml
ln -s ../srv/late/x.yaml low/late.yaml
ln -s loop low/loop
ln -s two low/one
ln -s one low/two
printf 'layers: [{path: low, follow: true}, {path: high, follow: true}]\noptions: {header: false}\n' >plyfs.yaml
start -c plyfs.yaml mnt

shared() {
	for name in absolute.yaml dir/relative.yaml chain1; do
		comes_to_show mnt/$name "$1"
	done
}
shared 'a: 1'
shows mnt/current/conf/app.yaml 'r: 7'
shows mnt/nested.yaml 'r: 7'
shows mnt/other-layer.yaml 'p: 1'
for name in loop one two; do
	fails_with 'Input/output error' cat mnt/$name
done
[ ! -e mnt/late.yaml ]

# The target: written in place, replaced, closed to others, removed, and back.
echo 'a: 2' >srv/shared/x.yaml
shared 'a: 2'
echo 'a: 3' | replace srv/shared/x.yaml
shared 'a: 3'
chmod 600 srv/shared/x.yaml
closed() { [ "$(stat -c %a mnt/$1)" = 400 ]; }
for name in absolute.yaml dir/relative.yaml chain1; do
	eventually closed $name || fail "$name is $(stat -c %a mnt/$name)"
done
rm srv/shared/x.yaml
comes_to_vanish mnt/absolute.yaml
comes_to_vanish mnt/dir/relative.yaml
comes_to_vanish mnt/chain1
echo 'a: 4' >srv/shared/x.yaml
shared 'a: 4'

# Links and directories on the path to the target.
ln -sfn releases/8 srv/current
comes_to_show mnt/current/conf/app.yaml 'r: 8'
comes_to_show mnt/nested.yaml 'r: 8'
echo 'r: 9' >srv/releases/8/conf/app.yaml
comes_to_show mnt/current/conf/app.yaml 'r: 9'
comes_to_show mnt/nested.yaml 'r: 9'
mv srv/releases/8 srv/releases/old
comes_to_vanish mnt/nested.yaml
comes_to_vanish mnt/current
mv srv/releases/7 srv/releases/8
comes_to_show mnt/nested.yaml 'r: 7'
comes_to_show mnt/current/conf/app.yaml 'r: 7'
echo 'b: 1' >srv/b.yaml
ln -sfn b.yaml srv/chain3
comes_to_show mnt/chain1 'b: 1'
echo 'p: 2' >low/plain.yaml
comes_to_show mnt/plain.yaml 'p: 2'
comes_to_show mnt/other-layer.yaml 'p: 2'

# A link to nothing comes to life, with its event; a loop ends.
watch mnt
mkdir srv/late
echo 'l: 1' >srv/late/x.yaml
comes_event 'MOVED_TO late.yaml'
shows mnt/late.yaml 'l: 1'
unwatch
ls mnt | grep -qx late.yaml || fail "it is not listed"
ln -sfn plain.yaml low/two
comes_to_show mnt/one 'p: 2'

# It is never shown half: its writer takes less time than plyfs waits for.
python3 -c 'print("x" * 299999)' >srv/b.yaml
has_size() { [ "$(stat -c %s mnt/chain1)" -eq 300000 ]; }
eventually has_size || fail "a large target does not show"
for _ in $(seq 5); do
	python3 -c '
import time
with open("srv/b.yaml", "w") as file:
    for _ in range(30):
        file.write("y" * 9999 + "\n")
        file.flush()
        time.sleep(0.003)' &
	writer=$!
	while kill -0 $writer 2>/dev/null; do
		[ "$(wc -c <mnt/chain1)" -eq 300000 ] || fail "half a target: $(wc -c <mnt/chain1)"
	done
	wait $writer
done
rm low/loop
comes_to_vanish mnt/loop
comes_to_equal_fresh -c plyfs.yaml
stop

# The twin: without `follow` they are shown as links.
start low:high mnt
[ -L mnt/absolute.yaml ]
