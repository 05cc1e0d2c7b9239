#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor/dir site/up
echo 'layers: [{path: vendor, follow: true}, site]' >plyfs.yaml
echo 'a: 1' | tee vendor/app.yaml >vendor/dir/b.yaml
ln -s . vendor/itself
ln -s . vendor/itself-too
ln -s .. vendor/dir/up
ln -s dir vendor/other
shown() { (cd tree && find . -not -path './.plyfs*' | sort | xargs); }

timeout 60 "$PLYFS" render -q -c plyfs.yaml tree || fail "it exits with $?"
is() { [ "$(shown)" = "$1" ] || fail "rendered: $(shown)"; }
is '. ./app.yaml ./dir ./dir/b.yaml ./other ./other/b.yaml ./up'
runs 0 "$PLYFS" check -c plyfs.yaml
grep -q '^3 files: all merge$' out || fail "it is checked otherwise: $(cat out)"

# The twin: another layer has a directory there, or the link leads elsewhere.
mkdir -p site/dir/up
echo 'c: 1' >site/dir/up/c.yaml
ln -sfn dir vendor/itself-too
timeout 60 "$PLYFS" render -q -c plyfs.yaml tree || fail "it exits with $?"
is "$(echo . ./app.yaml ./dir ./dir/b.yaml ./dir/up ./dir/up/app.yaml ./dir/up/c.yaml ./itself-too \
	./itself-too/b.yaml ./other ./other/b.yaml ./up)"
