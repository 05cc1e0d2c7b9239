#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A virtual file, drop-ins, a schema, locks, places of lists and `delete`, and other formats.
mkdir -p vendor/{conf.d,drop.yaml.d,mixed.json.d} site/conf.d
web='[kind=Deployment,metadata.name=web]' service='[kind=Service,metadata.name=web]'
cat >vendor/k.yaml <<'END_OF_FILE'
kind: Deployment
metadata: {name: web}
spec: {replicas: 1, tls: x}
---
kind: Service
metadata: {name: web}
spec:
  replicas: 1
  ports: [{name: http, port: 80}]
END_OF_FILE
cat >site/k.yaml <<'END_OF_FILE'
kind: Service
metadata: {name: web}
spec:
  replicas: 2
  ports: [{name: http, port: 81}]
END_OF_FILE
cp vendor/k.yaml vendor/conf.d/10.yaml
cp site/k.yaml site/conf.d/20.yaml
cp site/k.yaml vendor/drop.yaml
cp vendor/k.yaml vendor/drop.yaml.d/50-all.yaml
cat >plyfs.yaml <<'END_OF_FILE'
layers: [vendor, site]
files:
  - {path: all.yaml, from: ["conf.d/*.yaml"]}
  - {path: all.json, from: ["conf.d/*.yaml"]}
rules:
  - match: k.yaml
    options: {lists: {spec.ports: {by: name}}, delete: {site: spec.tls}}
    lock: {vendor: [spec.replicas]}
    schema: ports.json
  - match: "*"
    dropins: true
END_OF_FILE
echo '{"properties": {"spec": {"properties": {"ports": {"items":
	{"properties": {"port": {"maximum": 80}}}}}}}}' >ports.json
ply() { "$PLYFS" "$1" -c plyfs.yaml "${@:2}"; }
reports() { # TEXT: a line of standard error, before the excerpt
	grep -qF -- "$1" err || fail "it says: $(cat err); and not: $1"
}
value() { # PATH KEY VALUE
	runs 0 ply get --json "$1" "$2"
	prints "$3"
}

# Each document must satisfy the schema, with a fault's place in its source.
runs 1 ply cat k.yaml
reports 'site/k.yaml:5:30: spec.ports[0].port must be at most 80, but is 81'
sed -i 's/80}}/81}}/' ports.json
value k.yaml "$web.spec" '{"replicas": 1}'
value k.yaml "$service.spec" '{"replicas": 1, "ports": [{"name": "http", "port": 81}]}'
runs 0 ply explain k.yaml "$service.spec.replicas"
grep -q '^  lost  2 .*site/k.yaml:4:13  *locked by vendor' out
runs 0 ply explain k.yaml "$web.spec.tls"
grep -qF "$web.spec.tls (gone)          plyfs.yaml:7:63  the value is deleted" out

# The virtual file's and the drop-in's documents are matched, too.
value all.yaml "$service.spec.replicas" 2
value all.yaml "$web.spec.replicas" 1
value drop.yaml '[0].spec.replicas' 1
value drop.yaml "$web.spec.replicas" 1
runs 0 ply set -n all.yaml "$service.spec.replicas" 3
grep -qx -- '+  replicas: 3' out

# Each line has its source, and each value its document.
runs 0 ply blame drop.yaml
grep -q '^vendor  drop.yaml.d/50-all.yaml:5  *[0-9]*) kind: Service$' out
grep -q '^vendor  drop.yaml.d/50-all.yaml:2  *[0-9]*) metadata: {name: web}$' out
grep -q '^-  *[0-9]*) ---$' out
runs 0 ply explain --json all.yaml
python3 - "$web" "$service" <<'END'
import json, sys
found = {(each["document"], each["key"].split("].")[0].rstrip("]") + "]")
         for each in json.load(open("out"))["values"]}
assert found == {(0, sys.argv[1]), (1, sys.argv[2])}, found
END
runs 0 ply diff all.yaml
grep -qx -- '+  replicas: 2' out

# Another format has one document: the place and the remedy, in every command.
for command in cat explain blame diff; do
	runs 1 ply $command all.json
	reports 'vendor/conf.d/10.yaml:5:1: a second document begins here, and json has one document'
	reports "make one of all with the option 'documents: merge'"
done
runs 1 ply get all.json '[0].kind'
reports 'a second document begins here'
runs 1 ply check
reports 'vendor/conf.d/10.yaml:5:1: a second document begins here, and json has one document'
printf '{"a": 1}\n' >vendor/mixed.json
cp vendor/k.yaml vendor/mixed.json.d/50.yaml
runs 1 ply cat mixed.json
reports "50.yaml:5:1: a second document begins here, and nothing says with which document of another file"
reports "give the rule the option 'documents': 'merge', or keep one document in each file"
for format in json toml ini; do
	runs 1 "$PLYFS" merge --to "$format" vendor/k.yaml site/k.yaml
	reports "vendor/k.yaml:5:1: a second document begins here, and $format has one document"
done

# A layer that never was good is left out with `on_error: skip-layer`; the error stays.
printf 'a: 1\n---\nb: 1\n' >vendor/u.yaml
echo 'c: 1' >site/u.yaml
runs 1 ply cat u.yaml
echo 'options: {on_error: skip-layer}' >>plyfs.yaml
runs 0 ply cat u.yaml
prints 'c: 1'
reports 'vendor/u.yaml:3:1: a second document begins here, and nothing says with which document'
sed -i '$d' plyfs.yaml

# The strategies that know no documents refuse them, also those of the only file.
rm -r vendor site
mkdir vendor
printf 'a: 1\n---\nb: 1\n' >vendor/s.yaml
for strategy in salt pillar cfengine; do
	runs 1 "$PLYFS" merge -s $strategy vendor/s.yaml
	reports "vendor/s.yaml:3:1: a second document begins here, and the strategy '$strategy' reads one"
	reports "merge them by 'strategy: deep' with its option 'documents'"
done
