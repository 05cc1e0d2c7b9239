#!/bin/bash
. "$(dirname "$0")/cli.sh"

# The expected output lies beside the layers; a difference is shown as a diff.
cp -r "$(dirname "$(realpath "$0")")/explain/." .
same() { diff -u "$1" out >&2 || fail "it prints something else than $1"; }

runs 0 "$PLYFS" explain -c plyfs.yaml app.yaml
same whole.txt

# One value, or all in a map. A removed value is explained as well.
for key in server.port server.debug cache.old.kept cache.size 'users[name=web]' '"80"' server.hosts; do
	echo "\$ $key"
	explain -c plyfs.yaml app.yaml "$key"
done >out
same keys.txt
runs 0 "$PLYFS" explain -c plyfs.yaml app.yaml .
grep -q '^\.: {server: ' out

# Without rules lists are replaced, and the layers are named after their directories.
printf 'users: []\n' >host/app.yaml
runs 0 "$PLYFS" explain -l vendor:host app.yaml users
prints 'users: []                               host    host/app.yaml:1:8
  lost  [{name: web, uid: 1}, {name: db, uid: 2}]  vendor  vendor/app.yaml:11:3  lists: replace
take it back: plyfs reset -L host -l vendor:host app.yaml users
change it: plyfs set -l vendor:host app.yaml users VALUE'
cp "$(dirname "$(realpath "$0")")/explain/host/app.yaml" host

# Each printed KEY leads back to the value it is printed for.
explain -c plyfs.yaml app.yaml | sed -n 's/^\([^ ][^:]*\): .*  \(.*:[0-9]*:[0-9]*\).*/\1 \2/p' >found
[ "$(wc -l <found)" -ge 12 ]
while read -r key place; do
	runs 0 "$PLYFS" explain -c plyfs.yaml app.yaml "$key"
	head -1 out | grep -qF "$key: " || fail "'$key' leads to: $(head -1 out)"
	head -1 out | grep -qF "$place" || fail "'$key' is not at $place"
done <found

# A !delete at the root of a file removes all values, and says so; a higher layer may begin anew.
mkdir -p low high top
printf 'a: 1\nb: {c: 2}\n' >low/root.yaml
printf -- '!delete\n' >high/root.yaml
runs 0 "$PLYFS" explain -l low:high root.yaml
grep -q '^\. (gone)  *high  high/root.yaml:1:1   the document is deleted$' out || fail "it says: $(cat out)"
grep -q '^  lost  {a: 1, b: {c: 2}}  *low   low/root.yaml:1:1$' out || fail "it says: $(cat out)"
for key in . a b.c; do
	runs 0 "$PLYFS" explain -l low:high root.yaml "$key"
	grep -q '^\. (gone)  *high  high/root.yaml:1:1 ' out || fail "of $key it says: $(cat out)"
	grep -qx 'take it back: plyfs reset -L high -l low:high root.yaml \.' out || fail "of $key it says: $(cat out)"
	runs 1 "$PLYFS" get -l low:high root.yaml "$key"
	says "root.yaml: has no '$key' any more; 'plyfs explain' shows what removed it"
done
runs 1 "$PLYFS" explain -l low:high root.yaml d
says "root.yaml: holds no values, so it has no 'd'; leave the KEY out"
printf 'b: 3\n' >top/root.yaml
runs 0 "$PLYFS" explain -l low:high:top root.yaml a
grep -q '^a (gone) ' out || fail "it says: $(cat out)"
grep -q '^  lost  1  *low   low/root.yaml:1:4  *the value is deleted (high/root.yaml:1:1)$' out || fail "it says: $(cat out)"

# What was combined and then lost is shown as each layer has it.
mkdir -p a b c
printf 'm: {x: old, y: {z: 1}}\nl: [1]\n' >a/lost.yaml
printf 'm: {x: new, y: {w: 2}}\nl: !append [2]\n' >b/lost.yaml
printf 'm: !replace 0\nl: !replace 0\n' >c/lost.yaml
runs 0 "$PLYFS" explain -l a:b:c lost.yaml
for text in 'lost  {x: old, y: {z: 1}}  *a  a/lost.yaml:1:4' 'lost  {x: new, y: {w: 2}}  *b  b/lost.yaml:1:4' \
	'lost  \[1\]  *a  a/lost.yaml:2:4' 'lost  !append \[2\]  *b  b/lost.yaml:2:4'; do
	grep -q "^  $text " out || fail "it does not say $text: $(cat out)"
done
runs 0 "$PLYFS" explain -l a:b:c lost.yaml m.x
grep -q '^  lost  old  *a  a/lost.yaml:1:8 ' out || fail "it says: $(cat out)"

# With Salt's tags, too: a constructed value is a copy of what the source has.
printf 'm: !aggr-map {x: old, y: !aggr-map {z: 1}}\n' >a/lost.yaml
printf 'm: !aggr-map {x: new, y: !aggr-map {w: 2}}\n' >b/lost.yaml
printf 'm: 0\n' >c/lost.yaml
printf 'layers: [{name: a, path: a}, {name: b, path: b}, {name: c, path: c}]\nrules: [{match: "*", strategy: salt}]\n' >salt.yaml
runs 0 "$PLYFS" explain -c salt.yaml lost.yaml
for text in 'lost  !aggr-map {x: old, y: !aggr-map {z: 1}}  *a  a/lost.yaml:1:4' \
	'lost  !aggr-map {x: new, y: !aggr-map {w: 2}}  *b  b/lost.yaml:1:4'; do
	grep -q "^  $text " out || fail "it does not say $text: $(cat out)"
done

# An error is the merge's own, with its line.
printf 'port: 80\n  x: 1\n' >site/app.yaml
runs 1 "$PLYFS" explain -l vendor:site app.yaml
[ "$(wc -l <err)" -eq 3 ]
head -1 err | grep -q '^plyfs: site/app.yaml:2:4: '
[ "$(tail -1 err)" = '       ^' ]

# A line ends where grep and git end it, although YAML has further line breaks.
mkdir -p breaks over
printf 'host: web # see wiki\xe2\x80\xa8\ntext: |\n  a\xc2\x85\n  b\xe2\x80\xa9\nport: 80\nlist: [x, \xe2\x80\xa8 y]\nhost: web2\n' >breaks/app.yaml
printf 'port: 81\n' >over/app.yaml
runs 0 "$PLYFS" explain -l breaks:over app.yaml
[ "$(grep -n '^port' breaks/app.yaml)" = '5:port: 80' ] || fail "grep has other lines"
grep -q '^  lost  80 .* breaks/app.yaml:5:7 ' out && grep -q '^list\[1\]: y .* breaks/app.yaml:6:13$' out &&
	grep -q '^host: web2 .* breaks/app.yaml:7:7$' out || fail "it says: $(cat out)"
runs 0 "$PLYFS" blame -l breaks:over app.yaml
grep -q '^breaks  app.yaml:6  .*list: ' out || fail "it says: $(cat out)"
echo 'last: [' >>breaks/app.yaml
runs 1 "$PLYFS" explain -l breaks:over app.yaml
grep -q '^plyfs: breaks/app.yaml:8:7: ' err || fail "$(cat err)"
printf '# see\r# wiki\r\nport: 80\r\nx: [1,\r2]\n' >breaks/app.yaml
runs 0 "$PLYFS" explain -l breaks:over app.yaml
[ "$(grep -n '^port' breaks/app.yaml)" = $'2:port: 80\r' ] || fail "grep has other lines"
grep -q '^  lost  80 .* breaks/app.yaml:2:7 ' out && grep -q '^x\[1\]: 2 .* breaks/app.yaml:3:8$' out ||
	fail "it says: $(cat out)"
printf 'last: [' >>breaks/app.yaml
runs 1 "$PLYFS" explain -l breaks:over app.yaml
grep -q '^plyfs: breaks/app.yaml:4:7: ' err || fail "$(cat err)"
