#!/bin/bash
. "$(dirname "$0")/cli.sh"
# If a higher layer hides a directory, all kinds of drop-ins in it are hidden.

mkdir -p low/d/app.conf.d mid high/d
printf 'secret\n' >low/d/app.conf.d/10.conf
printf 'a\n' >high/d/app.conf
printf 'b\n' >low/top.conf
cat_with() {
	printf 'layers: [low, mid, high]\nrules: [{match: "**/*.conf", strategy: concat, dropins: %s}]\n' "$1" >plyfs.yaml
	runs 0 "$PLYFS" cat -c plyfs.yaml "$2"
}
for kind in uapi layers; do
	cat_with $kind d/app.conf
	grep -q secret out || fail "$kind: drop-ins take no part"
	touch high/d/.wh..wh..opq
	cat_with $kind d/app.conf
	prints a
	rm high/d/.wh..wh..opq
	touch mid/.wh.d
	cat_with $kind d/app.conf
	prints a
	rm mid/.wh.d
	touch mid/d
	cat_with $kind d/app.conf
	prints a
	rm mid/d
done

# A mask masks the layers below it: nothing of a higher link.
mkdir low/linked.conf.d
printf 'drop-in\n' >low/linked.conf.d/10.conf
ln -s /dev/null low/linked.conf
ln -s top.conf high/linked.conf
for kind in layers uapi; do
	cat_with $kind linked.conf
	prints b
done
rm high/linked.conf
runs 0 "$PLYFS" cat -c plyfs.yaml linked.conf
prints drop-in
