#!/bin/bash
. "$(dirname "$0")/mount.sh"

layers=
for i in $(seq 64); do
	mkdir -p layers/$i/dir
	echo "k$i: $i" >layers/$i/app.yaml
	echo "$i" >layers/$i/dir/motd
	echo "$i" >layers/$i/only-$i
	layers+=${layers:+:}layers/$i
done
start "$layers" mnt
[ "$(cat mnt/app.yaml)" = "$(for i in $(seq 64); do echo "k$i: $i"; done)" ] || fail "not all, or in another order"
shows mnt/dir/motd 64
[ "$(ls mnt | grep -c only-)" -eq 64 ] || fail "not all are listed"
echo 'k1: new' | replace layers/1/app.yaml
rm layers/64/app.yaml layers/64/dir/motd
changed() { [ "$(head -1 mnt/app.yaml)$(tail -1 mnt/app.yaml)" = 'k1: newk63: 63' ]; }
eventually changed || fail "it shows: $(cat mnt/app.yaml)"
comes_to_show mnt/dir/motd 63
stop

mkdir layers/65
for way in 'mount -f' mount; do
	# shellcheck disable=SC2086
	fails_with '65 layers' "$PLYFS" $way "$layers:layers/65" mnt
done
! is_mounted mnt || fail "it is mounted all the same"
echo text >layers/65/motd
for way in cat; do
	code=0
	"$PLYFS" $way -l "$layers:layers/65" motd >output 2>&1 || code=$?
	[ $code -le 1 ] || fail "plyfs $way ends with $code: $(cat output)"
done

# A running mount can't get that many, either.
{
	echo layers:
	for i in $(seq 64); do echo "  - layers/$i"; done
} >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/dir/motd 63
echo '  - layers/65' >>plyfs.yaml
told() { [[ $(status settings error 2>/dev/null) == *64* ]]; }
eventually told || fail "the status does not tell: $(grep settings mnt/.plyfs/status)"
[ ! -e mnt/motd ] || fail "the 65th layer is there"
