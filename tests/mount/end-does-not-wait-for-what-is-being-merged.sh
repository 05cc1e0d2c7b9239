#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A merge of half a minute or more: sixty sources that take long to read, though they have no content.
{ yes '#' || true; } | head -c 40000000 >low/large.yaml
{
	echo 'options: {limits: {time: 60m, source: 40000000}}'
	echo 'layers:'
	for i in $(seq 60); do echo "  - {name: l$i, path: $PWD/low}"; done
} >plyfs.yaml

ends_soon() { # SIGNAL
	local begun ended
	begun=$(date +%s%N)
	kill "-$1" "$plyfs_pid"
	until ! is_mounted mnt; do sleep 0.02; done
	ended=$(date +%s%N)
	echo "$1: $(((ended - begun) / 1000000)) ms"
	# Within a second on an idle machine. If it waited, it would take as long as the rest of the merge.
	[ $((ended - begun)) -lt 10000000000 ] || fail "$1 took $(((ended - begun) / 1000000)) ms"
	ended_cleanly
}

# While a program reads it for the first time.
start -c plyfs.yaml mnt
cat mnt/large.yaml >read 2>&1 &
reader=$!
sleep 0.7
kill -0 $reader || fail "it took no time: $(cat read)"
ends_soon TERM
! wait $reader || fail "the reader was given something"

# While the publisher merges it.
cp low/large.yaml large
echo 'a: 1' >low/large.yaml
start -c plyfs.yaml mnt
[ "$(cat mnt/large.yaml)" = 'a: 1' ]
mv large low/large.yaml
sleep 0.7
[ "$(cat mnt/large.yaml)" = 'a: 1' ] || fail "it took no time"
ends_soon INT
