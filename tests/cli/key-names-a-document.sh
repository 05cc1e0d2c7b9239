#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
get() { "$PLYFS" get -l vendor:site "$@"; }
explain() { "$PLYFS" explain -l vendor:site "$@"; }
has() { # FILE VALUE KEY...: each KEY names that value
	local file=$1 value=$2 key
	shift 2
	for key; do
		runs 0 get "$file" "$key"
		prints "$value"
		runs 0 explain "$file" "$key"
	done
}
lacks() { # FILE KEY MESSAGE
	runs 1 get "$1" "$2"
	says "$3"
	runs 1 explain "$1" "$2"
	says "$3"
}

cat >vendor/k.yaml <<'END_OF_FILE'
kind: Deployment
metadata: {name: web}
spec: {replicas: 1, a.b: x}
---
kind: Deployment
metadata: {name: db}
spec: {replicas: 2}
---
kind: Service
metadata: {name: web}
spec: {port: 80}
END_OF_FILE
cat >site/k.yaml <<'END_OF_FILE'
kind: Deployment
metadata: {name: web}
spec: {replicas: 3}
END_OF_FILE
web='[kind=Deployment,metadata.name=web]' db='[kind=Deployment,metadata.name=db]'
service='[kind=Service,metadata.name=web]'

# By the keys by which documents are matched, by fewer if only one document has them, by position.
has k.yaml 3 "$web.spec.replicas" "[metadata.name=web,kind=Deployment].spec.replicas" \
	'[0].spec.replicas' '[kind="Deployment",metadata.name==web]["spec"].replicas'
has k.yaml 2 "$db.spec.replicas" '[metadata.name=db].spec.replicas' '[1].spec.replicas'
# Dots may be letters of a name there, too.
has k.yaml x "$web.spec.a.b" "$web.spec[\"a.b\"]" '[0].spec.a.b'
runs 0 get --json k.yaml "$service"
prints '{"kind": "Service", "metadata": {"name": "web"}, "spec": {"port": 80}}'
lacks k.yaml '[kind=Deployment].spec' "fits several documents; write one of $web, $db"
lacks k.yaml '[kind=Job].spec' "has no '[kind=Job].spec'; its documents are $web, $db, $service"
lacks k.yaml '[kind=Job,metadata.name=x].spec' "its documents are $web, $db, $service"
lacks k.yaml '[3].spec' "has 3 documents, so there is none at '[3]'; count from [0]"
lacks k.yaml "$db.spec.replica" "did you mean '$db.spec.replicas'?"

# Without a document: the only one that has the KEY; else the error has the form for each.
has k.yaml 80 spec.port .spec.port '$.spec.port' /spec/port
lacks k.yaml spec.replicas "is in 2 documents; write $web.spec.replicas or $db.spec.replicas"
lacks k.yaml '["kind"]' "write $web[\"kind\"], $db[\"kind\"] or $service[\"kind\"]"
lacks k.yaml /spec/replicas "write $web.spec[\"replicas\"] or $db.spec[\"replicas\"]"
lacks k.yaml . "write $web, $db or $service"
lacks k.yaml speck "did you mean '$web.spec'?"

# Every KEY that is printed can be typed.
pasted() { # FILE
	runs 0 explain --json "$1"
	python3 - <<'END' >keys
import json
for value in json.load(open("out"))["values"]:
    if "value" in value:
        print(json.dumps(value["value"]), value["key"], sep="\t")
END
	[ -s keys ] || fail 'no keys'
	while IFS=$'\t' read -r value key; do
		runs 0 get --json "$1" "$key"
		prints "$value"
	done <keys
	runs 0 explain "$1"
	grep -o '^\[[^ ]*: ' out | sed 's/: $//' >keys
	[ -s keys ] || fail 'no keys'
	while read -r key; do
		runs 0 get "$1" "$key"
	done <keys
}
pasted k.yaml
cat >vendor/odd.yaml <<'END_OF_FILE'
kind: A
metadata: {name: "x,y]"}
0: [1]
---
kind: "1"
metadata: {name: a.b}
---
kind: A
metadata: {name: twice}
a: 1
---
kind: A
metadata: {name: twice}
a: 2
END_OF_FILE
pasted odd.yaml
has odd.yaml 2 '[3].a'

# Documents that have no names: by position, and items of a list stay items.
cat >vendor/p.yaml <<'END_OF_FILE'
a: 1
---
---
- {name: u, port: 1}
- {name: v, port: 2}
END_OF_FILE
has p.yaml 1 a '[0].a' '[a=1].a'
has p.yaml 2 '[name=v].port' '[2][name=v].port' '[2][1].port'
pasted p.yaml
printf '%s\n' '- {name: u}' '- {name: v}' >vendor/list.yaml
has list.yaml v '[1].name' '[name=v].name'

# The option's keys; one of which another document may lack.
cat >plyfs.yaml <<'END_OF_FILE'
layers: [vendor, site]
rules:
  - match: o.yaml
    options: {documents: {by: [id, zone]}}
END_OF_FILE
printf '%s\n' 'id: 1' 'v: a' --- 'id: 1' 'zone: z' 'v: b' >vendor/o.yaml
printf '%s\n' 'id: 1' 'v: c' >site/o.yaml
for key in '[id=1].v:c' '[id=1,zone=z].v:b' '[zone=z].v:b'; do
	runs 0 "$PLYFS" get -c plyfs.yaml o.yaml "${key%:*}"
	prints "${key##*:}"
done

# A file of one document can name it, too.
printf 'kind: A\nmetadata: {name: x}\nv: 1\n' >vendor/one.yaml
has one.yaml 1 v '[kind=A,metadata.name=x].v'

# A document that a higher layer has removed, and who did so.
printf '%s\n' '--- !delete' 'kind: Deployment' 'metadata: {name: db}' >>site/k.yaml
for key in "$db" "$db.spec.replicas"; do
	runs 0 explain k.yaml "$key"
	grep -qF "$db (gone)  site    site/k.yaml:4:5  the document is deleted" out
	grep -q '^  lost  .*vendor/k.yaml:5:1$' out
	runs 1 get k.yaml "$key"
	says "has no '$key' any more"
done
lacks k.yaml "$db.nothing" "its documents are $web, $service"
# A part of its name is enough.
runs 0 explain k.yaml '[metadata.name=db].spec.replicas'
grep -qF "$db (gone)  site    site/k.yaml:4:5  the document is deleted" out
runs 1 get k.yaml '[metadata.name=db]'
says "has no '[metadata.name=db]' any more"
runs 0 "$PLYFS" reset -n -l vendor:site k.yaml '[metadata.name=db]'
lacks k.yaml '[metadata.name=dc]' "its documents are $web, $service"
for layer in vendor site; do
	cp $layer/k.yaml $layer/two.yaml
done
printf '%s\n' --- 'kind: Pod' 'metadata: {name: db}' >>vendor/two.yaml
printf '%s\n' '--- !delete' 'kind: Pod' 'metadata: {name: db}' >>site/two.yaml
lacks two.yaml '[metadata.name=db].spec' "fits several documents; write one of $db, [kind=Pod,metadata.name=db]"
runs 0 explain k.yaml
grep -qF "$db (gone)  site    site/k.yaml:4:5" out
runs 0 explain --json k.yaml
python3 -c 'import json
gone, = json.load(open("out"))["removed"]
assert gone["key"] == "[kind=Deployment,metadata.name=db]" and gone["line"] == 4, gone
assert gone["overrides"][0]["file"] == "vendor/k.yaml", gone'

# Completion offers the documents, and then the KEYs in one.
runs 0 "$PLYFS" __complete get -l vendor:site k.yaml '['
grep -qF "$web" out && grep -qF "$service" out
runs 0 "$PLYFS" __complete get -l vendor:site k.yaml "$service.spec"
grep -qF "$service.spec.port" out
