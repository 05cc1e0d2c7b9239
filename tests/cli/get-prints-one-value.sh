#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
cat >vendor/app.yaml <<'END_OF_FILE'
port: 80
mode: 0644
text: "a b"
lines: |
  one
  two
empty:
none: ""
hosts: [a, b]
server: {tls: true, name: x}
gone: 1
END_OF_FILE
printf 'port: 81\ngone: !delete\n' >site/app.yaml
get() { "$PLYFS" get -l vendor:site "$@"; }
is() {
	runs 0 get app.yaml "$1"
	prints "$2"
}
is port 81
is mode 0644
is text 'a b'
is lines $'one\ntwo'
is empty null
is none ''
is 'hosts[1]' b
is hosts '[a, b]'
is server '{tls: true, name: x}'
runs 0 get app.yaml none
[ "$(wc -c <out)" -eq 1 ] || fail 'an empty text is an empty line'
json() {
	runs 0 get --json app.yaml "$1"
	prints "$2"
}
json port 81
json mode 420
json text '"a b"'
json lines '"one\ntwo\n"'
json empty null
json hosts '["a", "b"]'
json server '{"tls": true, "name": "x"}'

# For another host, and from a plyfs.yaml.
mkdir -p hosts/web1
printf 'port: 1\n' >hosts/web1/app.yaml
printf 'layers: [{path: vendor}, {path: "hosts/%%H", optional: true}]\n' >plyfs.yaml
runs 0 "$PLYFS" get -c plyfs.yaml -H web1 app.yaml port
prints 1

# A tag that is part of the value is not printed with a text, nor as JSON: a warning names it.
printf 'a: !vault |\n  x\nb: {c: [!y 1], d: !!str 2, e: !!set {f}}\n' >vendor/tag.yaml
runs 0 get tag.yaml a
prints x
says "tag.yaml: the tag !vault at 'a' is not printed"
runs 0 get --json tag.yaml b
prints '{"c": ["1"], "d": "2", "e": {"f": null}}'
grep -qx '{"warning": {.*the tag !y at .b. is not printed.*' err || fail "$(cat err)"
runs 0 get --json tag.yaml b.e
grep -q "the tag !!set at" err || fail "$(cat err)"
for none in "b" "b.d" "--json b.d"; do
	# shellcheck disable=SC2086 # two words
	runs 0 get tag.yaml $none
	[ ! -s err ] || fail "$(cat err)"
done

# If there is no such value, the exit code is 1, and the nearest key is named.
runs 1 get app.yaml prot
says "app.yaml: has no 'prot'; did you mean 'port'?"
[ ! -s out ] || fail "it prints: $(cat out)"
runs 1 get app.yaml server.nam
says "did you mean 'server.name'?"
runs 1 get --json app.yaml server.nam
grep -q "^{\"error\": {.*did you mean 'server.name'?" err || fail "it says: $(cat err)"
runs 1 get app.yaml gone
says "'plyfs explain' shows what removed it"
runs 1 get nothing.yaml a
says 'no layer has such a file'
printf 'x\n' >vendor/motd
runs 1 get motd a
says 'is not read as values'
printf '# nothing yet\n' >vendor/none.yaml
runs 1 get none.yaml a
says "none.yaml: holds no values, so it has no 'a'; 'plyfs cat' prints it"
runs 2 get app.yaml
says "a KEY is missing; 'plyfs cat' prints the whole file"
runs 2 get
says 'a path is missing'
runs 2 get app.yaml a b
says "'b' is one too many"
runs 2 get app.yaml 'a['
says "has a '[' without its ']'"

# Formats with sections, and keys that come again.
printf '[Service]\nExecStart=/a\nExecStart=/b\nUser=x\n' >vendor/a.service
runs 0 get a.service Service.ExecStart
prints $'/a\n/b'
runs 0 get a.service Service.User
prints x
# An empty assignment takes the earlier ones away, and is no value.
printf '[Service]\nExecStart=\nExecStart=/c\n' >vendor/b.service
runs 0 get b.service Service.ExecStart
prints /c
runs 0 get --json b.service Service.ExecStart
prints '["", "/c"]'
runs 0 get a.service Service
prints "$(cat vendor/a.service)"
printf 'A="x y"\n' >vendor/a.env
runs 0 get a.env A
prints 'x y'

# TOML can't write a list by itself: it is printed as the value of its key.
printf 'ports = [80, 443]\n[server]\nhosts = ["a", "b"]\n[[peer]]\nname = "p"\n' >vendor/a.toml
runs 0 get a.toml ports
prints 'ports = [80, 443]'
runs 0 get a.toml server.hosts
prints $'[server]\nhosts = ["a", "b"]'
runs 0 get a.toml peer
prints $'[[peer]]\nname = "p"'
runs 0 get a.toml server
prints 'hosts = ["a", "b"]'

# A symbolic link leads to its file, as in a mount.
mkdir vendor/conf
echo 'a: {b: 7}' >vendor/conf/real.yaml
ln -s conf/real.yaml vendor/link.yaml
ln -s link.yaml site/again.yaml
ln -s /etc/hostname vendor/out.yaml
ln -s conf vendor/to
printf 'layers: [vendor, site]\noptions: {on_error: skip-layer}\n' >skip.yaml
mkdir -p site/conf
echo 'a: [' >site/conf/real.yaml
for each in conf/real.yaml link.yaml again.yaml; do
	runs 0 "$PLYFS" get -c skip.yaml $each a.b
	says "site/conf/real.yaml:1:4: the '[' is not closed"
done
rm -r site/conf
runs 0 get link.yaml a.b
prints 7
runs 0 get again.yaml a.b
prints 7
runs 0 get to/real.yaml a.b
prints 7
runs 1 get out.yaml a
says "is a link out of the tree, to '/etc/hostname'"
runs 1 get to a
says 'is a directory'
