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

# An error is the merge's own, with its line.
printf 'port: 80\n  x: 1\n' >site/app.yaml
runs 1 "$PLYFS" explain -l vendor:site app.yaml
[ "$(wc -l <err)" -eq 3 ]
head -1 err | grep -q '^plyfs: site/app.yaml:2:4: '
[ "$(tail -1 err)" = '       ^' ]
