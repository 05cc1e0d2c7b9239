#!/bin/bash
# plyfs mount -H shows the tree of another host, also after a reload and a take-over.
. "$(dirname "$0")/mount.sh"

mkdir -p hosts/web1 hosts/web2 roles/db
printf 'log: low\nport: 80\n' >low/app.yaml
echo 'port: 8080' >hosts/web1/app.yaml
echo 'port: 9090' >hosts/web2/app.yaml
echo 'port: 5432' >roles/db/db.yaml
settings() {
	printf 'layers: [low, "hosts/%%H", {path: "roles/%%{role}", optional: true}]\nfacts: facts.yaml\nrules: [{match: app.yaml, strategy: %s}]\n' "$1" |
		replace plyfs.yaml
}
settings deep
echo 'role: web' >facts.yaml

start -c plyfs.yaml -H web1 --fact role=db mnt
shows mnt/app.yaml $'log: low\nport: 8080'
shows mnt/db.yaml 'port: 5432'
"$PLYFS" explain mnt/app.yaml port | grep -q '^port: 8080 .*hosts/web1/app.yaml:1:7' || fail 'not explained as that host'
"$PLYFS" status mnt | grep -qE '^ *as +host web1, fact role=db$' || fail "the status is: $("$PLYFS" status mnt)"
[ "$("$PLYFS" get -H web2 mnt/app.yaml port)" = 9090 ] || fail "-H does not overrule the mount's host"

echo 'port: 8081' >hosts/web1/app.yaml
comes_to_show mnt/app.yaml $'log: low\nport: 8081'
# The settings are read again for the same host.
settings last
comes_to_show mnt/app.yaml 'port: 8081'
settings deep
comes_to_show mnt/app.yaml $'log: low\nport: 8081'
# A plyfs that takes the mount over gets the same command line.
"$PLYFS" mount --take-over mnt || fail "it was not taken over"
shows mnt/db.yaml 'port: 5432'
echo 'port: 8082' >hosts/web1/app.yaml
comes_to_show mnt/app.yaml $'log: low\nport: 8082'
stop

# Layers without a plyfs.yaml are the same on every host.
if "$PLYFS" mount -H web1 low:hosts/web1 mnt 2>log; then fail 'it was mounted'; fi
grep -q 'layers given .* have none' log || fail "the message is: $(cat log)"
