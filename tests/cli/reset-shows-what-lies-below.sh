#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
write() {
	printf 'port: 80\nserver:\n  tls: on\n  name: x\nlist: [a, b]\n' >vendor/app.yaml
	printf '# ours\n\nport: 90\nserver:\n  tls: !delete\nproxy: p\n' >site/app.yaml
}
reset() { runs 0 "$PLYFS" reset -l vendor:site "$@"; }
shows() {
	runs 0 "$PLYFS" get -l vendor:site app.yaml "$1"
	prints "$2"
}

# unset hides the package's default as well, and says so, also in a dry run.
write
runs 0 "$PLYFS" unset -n -l vendor:site app.yaml port
says 'port: removed, and hides vendor/app.yaml:1'
runs 0 "$PLYFS" unset -l vendor:site app.yaml port
prints 'site/app.yaml: port: removed (was 90) (hides vendor/app.yaml:1)'
runs 0 "$PLYFS" unset -l vendor:site app.yaml 'list[0]'
prints 'site/app.yaml: list[0]: removed (was a) (hides vendor/app.yaml:5)'

# reset does not: neither a directive nor a value of the layer stays. A map that became empty is removed.
reset app.yaml port list
prints 'site/app.yaml: port: 80 (shows vendor/app.yaml:1)
site/app.yaml: list[0]: a (shows vendor/app.yaml:5)'
shows port 80
reset app.yaml server.tls proxy
prints 'site/app.yaml: server.tls: on (shows vendor/app.yaml:3)
site/app.yaml: proxy: removed (was p)'
shows server.tls on
[ "$(head -n 1 site/app.yaml)" = '# ours' ] || fail 'the comment is lost'
reset app.yaml port
prints 'nothing changes: the layer has no such file or value'

# An item of a list that replaces the lower one can't be reset: the lower item would not show again.
write
runs 0 "$PLYFS" set -l vendor:site app.yaml 'list[1]' c
cp site/app.yaml keep
runs 1 "$PLYFS" reset -l vendor:site app.yaml 'list[1]'
grep -q "^plyfs: site/app.yaml:.*: the layer 'site' replaces the whole value here; reset this key as a whole" err || fail "$(cat err)"
cmp keep site/app.yaml
reset app.yaml list
shows 'list[1]' b
runs 0 "$PLYFS" set -l vendor:site app.yaml 'own[+]' 1
reset app.yaml 'own[0]'
write

# Neither can one of a list that is the whole file: less of the value would show than before.
printf -- '- run: {a: 1, b: 2}\n' >vendor/list.yaml
runs 0 "$PLYFS" set -l vendor:site list.yaml '[0].run.a' 3
cp site/list.yaml keep
runs 1 "$PLYFS" reset -l vendor:site list.yaml '[0].run.a'
grep -q "^plyfs: site/list.yaml:1:.*: the layer 'site' replaces the whole value here" err || fail "$(cat err)"
cmp keep site/list.yaml
reset list.yaml .
[ ! -e site/list.yaml ]

# A source that becomes empty is removed, in each format, and so is its drop-ins' directory.
for file in 'a.yaml a: 1' 'a.json {"a": 1}' 'a.toml a = 1' 'a.env a=1' 'a.properties a=1'; do
	name=${file%% *}
	for layer in vendor site; do echo "${file#* }" >$layer/"$name"; done
	sed -i s/1/2/ site/"$name"
	reset "$name" a
	[ ! -e site/"$name" ] || fail "$name is left: $(cat site/"$name")"
done
printf '[s]\na = 1\n' | tee vendor/a.ini >site/a.ini
sed -i s/1/2/ site/a.ini
reset a.ini s.a
[ ! -e site/a.ini ] || fail "a.ini is left: $(cat site/a.ini)"
cat >dropins.yaml <<'E_'
layers: [vendor, site]
rules: [{match: app.yaml, dropins: layers}]
E_
write
mkdir site/app.yaml.d
echo 'port: 91' >site/app.yaml.d/50-port.yaml
runs 0 "$PLYFS" reset -c dropins.yaml app.yaml port
[ ! -e site/app.yaml.d ] || fail 'the drop-in is left'
shows port 80

# A value that a lock refuses can be reset, also where the lock leaves the place unset.
cat >lock.yaml <<'E_'
layers: [vendor, site]
rules: [{match: app.yaml, lock: {vendor: [port, proxy]}}]
E_
write
for key in port proxy; do
	runs 0 "$PLYFS" explain -c lock.yaml app.yaml $key
	grep -qx "take it back: plyfs reset -L site -c lock.yaml app.yaml $key" out || fail "$(cat out)"
	runs 0 "$PLYFS" reset -c lock.yaml app.yaml $key
done
runs 0 "$PLYFS" check -c lock.yaml app.yaml

# explain proposes it if a lower layer has a value.
write
for key in port server.tls; do
	runs 0 "$PLYFS" explain -l vendor:site app.yaml $key
	grep -qx "take it back: plyfs reset -L site -l vendor:site app.yaml $key" out || fail "$(cat out)"
done
for key in proxy server.name; do
	runs 0 "$PLYFS" explain -l vendor:site app.yaml $key
	! grep 'take it back' out || fail 'nothing lies below'
done

# Another layer is left alone. A key that no layer has may be mistyped, so that is an error.
reset -L vendor app.yaml server.name
grep -q 'port: 90' site/app.yaml
runs 1 "$PLYFS" reset -l vendor:site app.yaml prot

# The last value takes the source with it, and the difference of a dry run shows that.
echo 'port: 90' >site/app.yaml
reset -n app.yaml port
prints '--- site/app.yaml
+++ /dev/null
@@ -1 +0,0 @@
-port: 90'
reset app.yaml port
[ ! -e site/app.yaml ] || fail 'an empty source stays'

# A whole file, also one that is broken, and a whiteout.
echo 'a: [' >site/app.yaml
reset -n app.yaml
[ -e site/app.yaml ] || fail 'a dry run removes'
reset app.yaml
prints 'site/app.yaml: removed'
runs 0 "$PLYFS" hide -l vendor:site app.yaml
prints 'site/.wh.app.yaml: made; hides vendor/app.yaml'
runs 1 "$PLYFS" cat -l vendor:site app.yaml
reset app.yaml
prints 'site/.wh.app.yaml: removed'
runs 0 "$PLYFS" cat -l vendor:site app.yaml

# A file that would show all the same can't be hidden.
echo 'port: 1' >site/app.yaml
runs 1 "$PLYFS" hide -L vendor -l vendor:site app.yaml
runs 1 "$PLYFS" hide -l vendor:site app.yaml
[ ! -e site/.wh.app.yaml ] || fail 'a whiteout was made'
runs 2 "$PLYFS" hide -l vendor:site app.yaml port

# Drop-ins make the file alone when it is hidden. That is said, as long as they are not hidden, too.
mkdir -p below/d.yaml.d above
echo 'a: 1' >below/d.yaml
echo 'b: 2' >below/d.yaml.d/10.yaml
printf 'layers: [below, above]\nrules: [{match: d.yaml, dropins: true}]\n' >d.yaml
runs 0 "$PLYFS" hide -c d.yaml d.yaml
prints 'above/.wh.d.yaml: made; hides below/d.yaml'
says 'd.yaml: drop-ins such as below/d.yaml.d/10.yaml are still shown as this file; to hide them, hide d.yaml.d'
runs 0 "$PLYFS" cat -c d.yaml d.yaml
prints 'b: 2'
runs 0 "$PLYFS" hide -c d.yaml d.yaml.d
runs 1 "$PLYFS" cat -c d.yaml d.yaml
runs 0 "$PLYFS" reset -c d.yaml d.yaml
runs 0 "$PLYFS" hide -c d.yaml d.yaml
[ ! -s err ] || fail "it says: $(cat err)"

# Of an item that is merged by a key, nothing but the key would be left: the item goes, too.
rm -rf v s
mkdir v s
printf 'layers: [v, s]\nrules: [{match: "*.yaml", options: {lists: {users: {by: name}}}}]\noptions: {header: false}\n' >plyfs.yaml
printf 'users: [{name: web, uid: 1, gid: 1}]\n' >v/by.yaml
printf 'users:\n- {name: web, uid: 9}\n- {name: new, uid: 3}\n' >s/by.yaml
runs 0 "$PLYFS" reset -c plyfs.yaml by.yaml 'users[name=web].uid'
prints 's/by.yaml: users[0].uid: 9 -> 1 (shows v/by.yaml:1)'
[ "$(cat s/by.yaml)" = $'users:\n- {name: new, uid: 3}' ] || fail "it is: $(cat s/by.yaml)"
cp s/by.yaml keep
printf 'users:\n- {name: web, uid: 9}\n' >s/by.yaml
runs 0 "$PLYFS" reset -c plyfs.yaml by.yaml 'users[name=web].uid'
[ ! -e s/by.yaml ] || fail "it is: $(cat s/by.yaml)"
mv keep s/by.yaml
# An item that no lower layer has stays, and so does one with another value.
runs 0 "$PLYFS" reset -c plyfs.yaml by.yaml 'users[name=new].uid'
[ "$(cat s/by.yaml)" = $'users:\n- {name: new}' ] || fail "it is: $(cat s/by.yaml)"
printf 'users:\n- {name: web, uid: 9, gid: 1}\n' >s/by.yaml
runs 0 "$PLYFS" reset -c plyfs.yaml by.yaml 'users[name=web].uid'
[ "$(cat s/by.yaml)" = $'users:\n- {name: web, gid: 1}' ] || fail "it is: $(cat s/by.yaml)"

# The lower layer's list, and the map for which it stood while this layer had a map, both show that layer.
printf 'layers: [v, s]\nrules: [{match: e.yaml, options: {lists: {env: {by: {before: "="}}}}}]\n' >plyfs.yaml
printf 'env: [A=1, B]\n' >v/e.yaml
printf 'env: {A: 2}\n' >s/e.yaml
runs 0 "$PLYFS" reset -c plyfs.yaml e.yaml env.A
prints 's/e.yaml: env: a map -> a list (shows v/e.yaml:1)
s/e.yaml: removed'

# Of several keys, each may stand elsewhere: removed in this layer, or in a lower layer alone.
printf 'x: 1\ny: 2\n' >vendor/several.yaml
printf 'x: !delete\n' >site/several.yaml
runs 1 "$PLYFS" reset -l vendor:site several.yaml x nosuch
grep -q "there is no 'nosuch' to be removed; correct the KEY" err || fail "it says: $(cat err)"
[ "$(cat site/several.yaml)" = 'x: !delete' ] || fail "an error changes nothing: $(cat site/several.yaml)"
runs 0 "$PLYFS" reset -l vendor:site several.yaml x y
prints 'site/several.yaml: x: 1 (shows vendor/several.yaml:1)
site/several.yaml: removed'

# A name that is so long that a layer can have no whiteout of it.
long=$(printf '%250s' '' | tr ' ' a).yaml
echo 'x: 1' >vendor/$long
echo 'x: 2' >site/$long
reset $long
prints "site/$long: removed"
reset $long
prints 'nothing changes: it is so already'

# A source that empties is removed through a link to its directory, too.
mkdir vendor/link site/dir
echo 'port: 80' >vendor/link/app.yaml
echo 'port: 90' >site/dir/app.yaml
ln -s dir site/link
printf 'layers: [vendor, {path: site, follow: true}]\n' >plyfs.yaml
runs 0 "$PLYFS" reset -c plyfs.yaml link/app.yaml port
prints 'site/link/app.yaml: port: 90 -> 80 (shows vendor/link/app.yaml:1)
site/link/app.yaml: removed'
[ ! -e site/dir/app.yaml ] || fail 'the emptied source stays'
[ -L site/link ] || fail 'the link to the directory is gone'

# Of documents that are merged, an item goes by its index: the next one, which moves there, stays.
printf 'layers: [vendor, site]\nrules: [{match: m.yaml, options: {documents: merge, lists: append}}]\n' >merged.yaml
echo 'l: [a]' >vendor/m.yaml
printf 'l: [b, c, d]\n---\nx: 1\n' >site/m.yaml
runs 0 "$PLYFS" reset -c merged.yaml m.yaml 'l[1]'
prints 'site/m.yaml: l[1]: removed (was b)'
[ "$(cat site/m.yaml)" = "$(printf 'l: [c, d]\n---\nx: 1')" ] || fail "it is: $(cat site/m.yaml)"

# A directive, which the result does not show, is removed once.
echo 'a: 1' >vendor/m.yaml
printf 'a: !delete\n---\nb: 2\n' >site/m.yaml
runs 0 "$PLYFS" reset -c merged.yaml m.yaml a
prints 'site/m.yaml: a: 1 (shows vendor/m.yaml:1)'

# Comments alone are a source, and come back as they were.
printf 's: 1\nt: 0\n' >vendor/n.yaml
for comments in '# about the file' $'# one\n\n# two'; do
	echo "$comments" >site/n.yaml
	cp site/n.yaml before
	runs 0 "$PLYFS" set -l vendor:site n.yaml s 5
	runs 0 "$PLYFS" set -l vendor:site n.yaml t 6
	runs 0 "$PLYFS" reset -l vendor:site n.yaml s
	[ "$(cat site/n.yaml)" = "$comments"$'\n\nt: 6' ] || fail "it is: $(cat site/n.yaml)"
	runs 0 "$PLYFS" reset -l vendor:site n.yaml t
	cmp site/n.yaml before || fail "it is: $(cat site/n.yaml)"
done
printf '# one\n{}\n# two\n' >site/n.yaml
runs 0 "$PLYFS" set -l vendor:site n.yaml s 5
runs 0 "$PLYFS" reset -l vendor:site n.yaml s
[ "$(cat site/n.yaml)" = $'# one\n\n# two' ] || fail "it is: $(cat site/n.yaml)"
printf 'layers: [vendor, site]\nrules: [{match: n.yaml, options: {documents: {by: [kind]}}}]\n' >named.yaml
printf 'kind: A\nr: 1\n---\nkind: B\nr: 2\n' >vendor/n.yaml
cp before site/n.yaml
for kind in B A; do runs 0 "$PLYFS" set -c named.yaml n.yaml "[kind=$kind].r" 9; done
for kind in A B; do runs 0 "$PLYFS" reset -c named.yaml n.yaml "[kind=$kind].r"; done
cmp site/n.yaml before || fail "it is: $(cat site/n.yaml)"

# The value that was the only one of all layers is named, and not the whole file.
echo 'only: {one: 1}' >site/o.yaml
reset o.yaml only.one
prints 'site/o.yaml: only: removed (was a map)
site/o.yaml: removed'

# A KEY or a PATH that nothing has is most likely misspelt, also if the layer has no source.
rm -rf vendor site
mkdir vendor site
echo 'port: 80' >vendor/app.yaml
echo 'text' >vendor/app.conf
reset app.yaml port
prints 'nothing changes: the layer has no such file or value'
runs 1 "$PLYFS" reset -l vendor:site app.yaml prot
grep -q "^plyfs: vendor/app.yaml:1:1: there is no 'prot' to be removed; correct the KEY" err || fail "$(cat err)"
runs 1 "$PLYFS" reset -l vendor:site app.yaml port prot
grep -q "there is no 'prot' to be removed; correct the KEY" err || fail "$(cat err)"
runs 1 "$PLYFS" reset -l vendor:site ap.yaml port
says 'ap.yaml: no layer has such a file'
runs 1 "$PLYFS" reset -l vendor:site app.conf port
says 'reset the file, without a KEY'
# Not one that a higher layer removes.
mkdir host
echo 'port: !delete' >host/app.yaml
runs 0 "$PLYFS" reset -l vendor:site:host -L site app.yaml port
prints 'nothing changes: the layer has no such file or value'
runs 1 "$PLYFS" reset -l vendor:site:host -L site app.yaml prot
grep -q "there is no 'prot' to be removed; correct the KEY" err || fail "$(cat err)"
# What can't be decided is no success. A message names the file, even if no value has a place.
printf 'a: 1\n---\na: 2\n' >vendor/two.yaml
runs 1 "$PLYFS" reset -l vendor:site two.yaml a
says "two.yaml: the KEY 'a' is in 2 documents; write [0].a or [1].a"
runs 1 "$PLYFS" reset -l vendor:site two.yaml b
says "two.yaml: there is no 'b' to be removed; correct the KEY"
echo 'a: [' >vendor/broken.yaml
runs 1 "$PLYFS" reset -l vendor:site broken.yaml a
grep -q "^plyfs: vendor/broken.yaml:1:4: " err || fail "$(cat err)"
echo '# none' >site/none.yaml
runs 1 "$PLYFS" reset -l vendor:site none.yaml a
says "none.yaml: there is no 'a' to be removed; correct the KEY"
rm site/none.yaml
[ -z "$(ls site)" ] || fail "there is: $(ls site)"
