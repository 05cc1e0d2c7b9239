#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

# The output of `concat` is the order itself.
for layer in low high; do
	mkdir -p $layer/conf.d $layer/more.d/deep/er
	for name in 9 10 1 B a _ é; do echo "$layer conf $name" >$layer/conf.d/$name.conf; done
	for name in z a; do echo "$layer more $name" >$layer/more.d/$name.conf; done
	echo "$layer more deep" >$layer/more.d/deep/er/x.conf
	echo "$layer app" >$layer/app
done
echo 'high only' >high/conf.d/5.conf
echo 'low only' >low/conf.d/6.conf
# Backups and hidden files never match, whatever the pattern is.
for name in .hidden.conf a.conf~ '#a.conf#' .#a.conf a.conf.bak a.conf.swp a.conf.orig a.conf.rej \
	a.conf.dpkg-old a.conf.rpmnew a.conf.pacnew a.conf___jb_tmp___; do
	echo "never: $name" | tee "low/conf.d/$name" >"high/conf.d/$name"
done
mkdir low/conf.d/directory.conf
ln -s 1.conf low/conf.d/link.conf
cat >plyfs.yaml <<-END
	layers: [low, high]
	files:
	  - {path: all, from: ["more.d/{z,a}.conf", "conf.d/*.conf", app, "more.d/**/x.conf", "conf.d/1*.conf"], strategy: concat}
	  - {path: made/here/all, from: ["conf.d/*.conf*"], strategy: concat}
	  - {path: none, from: ["nowhere/*"]}
	  - {path: last, from: ["conf.d/*.conf"], strategy: last}
	  - {path: first, from: ["conf.d/*.conf"], strategy: first}
END
start -c plyfs.yaml mnt
for layer in low high; do
	for name in a z; do echo "$layer more $name"; done
	for name in 1 10; do echo "$layer conf $name"; done
	[ $layer = low ] || echo 'high only'
	[ $layer = high ] || echo 'low only'
	for name in 9 B _ a é; do echo "$layer conf $name"; done
	echo "$layer app"
	echo "$layer more deep"
done >wanted
diff wanted mnt/all || fail "it is in another order, see above"
# A pattern's last * may match more of the name, but never a backup.
if grep never mnt/made/here/all mnt/all; then
	fail "a backup or a hidden file is a source"
fi
[ ! -e mnt/none ] || fail "a virtual file of nothing is there"
shows mnt/first 'low conf 1'
shows mnt/last 'high conf é'
lists mnt all app conf.d first last made more.d
lists mnt/made/here all

# A whiteout, and a directory over a file, hide a source of lower layers.
touch high/conf.d/.wh.6.conf
rm high/conf.d/9.conf
mkdir high/conf.d/9.conf
grep -v 'low only\|conf 9' wanted >wanted2
changed() { diff wanted2 mnt/all >difference; }
eventually changed || fail "it differs: $(cat difference)"
comes_to_equal_fresh -c plyfs.yaml
"$PLYFS" cat -c plyfs.yaml all | cmp - mnt/all
