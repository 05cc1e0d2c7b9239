#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need python3
limit_watches

for i in $(seq 10 29); do
	mkdir -p srv/$i
	echo "a: $i" >srv/$i/app.yaml
	ln -s ../srv/$i/app.yaml low/$i.yaml
	echo "b: $i" >high/linked$i.yaml
	ln high/linked$i.yaml srv/$i/linked.yaml
done
ln -s ../srv/late/app.yaml low/late.yaml
printf 'layers: [{path: low, follow: true}, high]\noptions: {header: false, poll_interval: 100ms}\n' >plyfs.yaml
is_polling() { status polling reason >/dev/null 2>&1; }

echo 10 >$limit
start -c plyfs.yaml mnt
cat mnt/*.yaml >/dev/null
eventually is_polling || fail "the status does not tell that it polls"
"$PLYFS" status mnt | grep -q max_user_watches || fail "plyfs status has no remedy"
for i in 10 19 29; do
	echo 'a: new' >srv/$i/app.yaml
	echo 'b: new' >srv/$i/linked.yaml
done
mkdir srv/late
echo 'a: late' >srv/late/app.yaml
rm -r srv/28
for i in 10 19 29; do
	comes_to_show mnt/$i.yaml 'a: new'
	comes_to_show mnt/linked$i.yaml 'b: new'
done
comes_to_show mnt/late.yaml 'a: late'
comes_to_vanish mnt/28.yaml
comes_to_equal_fresh -c plyfs.yaml

# The remedy works, and then the status no longer reports it.
echo 1000 >$limit
watches() { ! is_polling && ! status watches error >/dev/null 2>&1; }
eventually watches || fail "with watches enough, it still says: $(status watches) $(status polling)"
echo 'a: newer' >srv/29/app.yaml
comes_to_show mnt/29.yaml 'a: newer'
echo 'b: newer' >srv/29/linked.yaml
comes_to_show mnt/linked29.yaml 'b: newer'
