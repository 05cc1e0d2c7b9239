#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"
# With hardly a descriptor left, a reader gets the right bytes or an error. When there are descriptors again all is
# right by itself.

need prlimit
need_root
for i in $(seq 60); do
	mkdir -p low/d$i/sub high/d$i
	echo "a: $i" | tee low/d$i/app.yaml low/d$i/sub/app.yaml >/dev/null
	echo "b: $i" >high/d$i/app.yaml
done
start
shows mnt/d1/app.yaml $'a: 1\nb: 1'
used=$(ls /proc/$plyfs_pid/fd | wc -l)
prlimit --pid "$plyfs_pid" --nofile=$((used + 1)):1024
read_all() {
	local i text
	for i in $(seq 60); do
		text=$(cat mnt/d$i/app.yaml 2>/dev/null) || continue
		[ "$text" = $'a: '"$1$i"$'\nb: '"$i" ] || fail "with few descriptors, mnt/d$i/app.yaml is: $text"
	done
}
read_all ''
for i in $(seq 60); do echo "a: 1$i" >low/d$i/app.yaml; done
echo 'c: 1' >high/d1/new.yaml
rm high/d2/app.yaml
sleep 1
kill -0 "$plyfs_pid" || fail "it ended"
prlimit --pid "$plyfs_pid" --nofile=1024:1024
comes_to_show mnt/d1/app.yaml $'a: 11\nb: 1'
comes_to_show mnt/d1/new.yaml 'c: 1'
comes_to_show mnt/d2/app.yaml 'a: 12'
comes_to_equal_fresh
is_well() { [ "$(status troubles)" = '[]' ]; }
eventually is_well || fail "a trouble stays: $(status troubles)"
stop
