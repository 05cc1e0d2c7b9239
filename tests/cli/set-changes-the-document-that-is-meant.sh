#!/bin/bash
. "$(dirname "$0")/cli.sh"

web='[kind=Deployment,metadata.name=web]' db='[kind=Deployment,metadata.name=db]'
service='[kind=Service,metadata.name=web]' new='[kind=Job,metadata.name=new]'
change() { "$PLYFS" "$1" -l vendor:site "${@:2}"; }
fresh() {
	rm -rf vendor site
	mkdir vendor site
	printf '%s\n' 'kind: Deployment' 'metadata: {name: web}' 'spec: {replicas: 1}' --- \
		'kind: Deployment' 'metadata: {name: db}' 'spec: {replicas: 2}' >vendor/k.yaml
}
shows() { # FILE KEY VALUE
	runs 0 "$PLYFS" get -l vendor:site "$1" "$2"
	prints "$3"
}
has() { # the lines of the target's file
	[ "$(cat site/k.yaml)" = "$(printf '%s\n' "$@")" ] || fail "site/k.yaml: $(cat site/k.yaml)"
}

# A file or a document that the layer lacks is made, with the name.
fresh
runs 0 change set k.yaml "$db.spec.replicas" 5
prints "site/k.yaml:5: $db.spec.replicas: 2 -> 5 (overrides vendor/k.yaml:7)"
has 'kind: Deployment' 'metadata:' '  name: db' 'spec:' '  replicas: 5'
runs 0 change set k.yaml '[0].spec.replicas' 7
has 'kind: Deployment' 'metadata:' '  name: db' 'spec:' '  replicas: 5' \
	--- 'kind: Deployment' 'metadata:' '  name: web' 'spec:' '  replicas: 7'
shows k.yaml "$web.spec.replicas" 7
shows k.yaml "$db.spec.replicas" 5
runs 0 change set k.yaml "$web.spec.replicas" 7
prints 'nothing changes: it is so already'

# A document that no layer has, several values at once, a list in it.
fresh
runs 0 change set k.yaml "$new.l[+]=a" "$new.m=3" "$service.spec.port=80"
has 'kind: Job' 'metadata:' '  name: new' 'l:' '- a' 'm: 3' \
	--- 'kind: Service' 'metadata:' '  name: web' 'spec:' '  port: 80'
shows k.yaml "$new.m" 3
fresh
runs 1 change set k.yaml '[kind=Job].x' 1
says "no document has '[kind=Job]'; the name of a new one is [kind=…,metadata.name=…]"
[ ! -e site/k.yaml ]
runs 1 change set k.yaml "$new" 1
says 'would be a new document; set a value in it'
runs 1 change set k.yaml "$new.kind" Pod
says "its name can't have another value at once"
runs 0 change set k.yaml "$new" '{a: 1}'
shows k.yaml "$new.a" 1

# A document that another layer has keeps its name; the message names no line that was not written.
fresh
for key in kind metadata.name metadata; do
	runs 1 change unset k.yaml "$db.$key"
	says 'site/k.yaml: another layer has the document, too, and keeps the values'
done
runs 1 change set k.yaml "$db.kind" Pod
says 'site/k.yaml: another layer has the document, too, and keeps the values'
runs 0 change set k.yaml "$db.metadata" '{name: db, x: 1}'
shows k.yaml "$db.metadata.x" 1
runs 1 change set -L vendor k.yaml "$db.metadata.name" da
runs 0 change set -L vendor k.yaml "$web.metadata.name" ui
shows k.yaml '[metadata.name=ui].spec.replicas' 1

# A new document where all others are removed.
printf '%s\n' 'kind: Pod' 'metadata: {name: p}' >vendor/gone.yaml
printf '%s\n' '--- !delete' 'kind: Pod' 'metadata: {name: p}' >site/gone.yaml
runs 0 change set gone.yaml "$new.a" 1
[ "$(cat site/gone.yaml)" = "$(printf '%s\n' '--- !delete' 'kind: Pod' 'metadata: {name: p}' \
	--- 'kind: Job' 'metadata:' '  name: new' 'a: 1')" ] || fail "$(cat site/gone.yaml)"

# Without a document: where only one document has it, or the map around it; else all are named.
fresh
runs 1 change set k.yaml spec.replicas 3
says "is in 2 documents; write $web.spec.replicas or $db.spec.replicas"
runs 1 change set k.yaml foo 3
says "there is no 'foo', and the file has 2 documents; write $web.foo or $db.foo"
runs 1 change unset k.yaml kind
says "write $web.kind or $db.kind"
runs 1 change unset k.yaml foo
says "there is no 'foo' to be removed; correct the KEY"
runs 0 change set k.yaml "$service.status.ready" true
runs 0 change set k.yaml status.since now
shows k.yaml "$service.status.since" now

# Comments and other documents keep their bytes, whatever is around them.
fresh
cat >site/k.yaml <<'END_OF_FILE'
# The site's own.

# The database.
kind: Deployment   # as below
metadata: {name: db}
--- # web
# Its replicas.
kind: Deployment
metadata: {  name: "web"  }
spec:
    replicas: 7 # seven
...
---
kind: Service
metadata: {name: web}
# The end.
END_OF_FILE
cp site/k.yaml whole
runs 0 change set k.yaml "$web.spec.replicas" 8
sed 's/replicas: 7/replicas: 8/' whole | cmp - site/k.yaml
cp whole site/k.yaml
runs 0 change unset k.yaml "$service"
sed '/^\.\.\.$/q' whole | cmp - site/k.yaml
runs 0 change reset k.yaml "$web"
sed '/^--- # web/,$d' whole | cmp - site/k.yaml
cp whole site/k.yaml
runs 0 change reset k.yaml "$db"
[ "$(head -4 site/k.yaml)" = "$(printf '%s\n' "# The site's own." '' '--- # web' '# Its replicas.')" ] ||
	fail "$(cat site/k.yaml)"
sed '1,/^metadata: {name: db}/d' whole >rest
tail -n +3 site/k.yaml | cmp - rest
# The end of a line, a file without it, and a mark of bytes.
fresh
printf '\xef\xbb\xbfkind: Deployment\r\nmetadata: {name: db}' >site/k.yaml
runs 0 change set k.yaml "$web.spec.replicas" 8
printf '\xef\xbb\xbfkind: Deployment\r\nmetadata: {name: db}\r\n---\r\nkind: Deployment\r\nmetadata:\r\n  name: web\r\nspec:\r\n  replicas: 8\r\n' |
	cmp - site/k.yaml

# A document is removed by a directive if a lower layer has it, else it goes.
fresh
runs 0 change unset k.yaml "$db"
prints "site/k.yaml: $db: removed (was a map) (hides vendor/k.yaml:5)"
has '!delete' 'kind: Deployment' 'metadata:' '  name: db'
runs 1 "$PLYFS" get -l vendor:site k.yaml "$db"
runs 0 "$PLYFS" explain -l vendor:site k.yaml "$db"
grep -qF "take it back: plyfs reset -L site -l vendor:site k.yaml '$db'" out
runs 0 change set k.yaml "$db.v" 1
has '!replace' 'kind: Deployment' 'metadata:' '  name: db' 'v: 1'
runs 0 change unset k.yaml "$db"
runs 0 change reset k.yaml "$db"
prints "site/k.yaml: $db: a map (shows vendor/k.yaml:5)
site/k.yaml: removed"
[ ! -e site/k.yaml ]
runs 0 change set k.yaml "$db.spec.replicas" 5
runs 0 change unset k.yaml "$db"
has '!delete' 'kind: Deployment' 'metadata:' '  name: db'
fresh
runs 0 change set k.yaml "$new.a=1" "$service.a=1"
runs 0 change unset k.yaml "$new" "$service"
prints "site/k.yaml: $new: removed (was a map)
site/k.yaml: $service: removed (was a map)"
[ ! -s site/k.yaml ]
runs 0 change unset k.yaml "$web"
runs 1 change unset k.yaml "$db"
says "nothing would be left of the file; hide it by 'plyfs hide', or remove what the layer has"

# Reset: the value, and then the document of which only the name is left, and the file.
fresh
runs 0 change set k.yaml "$db.spec.replicas=5" "$web.spec.replicas=6"
runs 0 change reset k.yaml "$db.spec.replicas"
has --- 'kind: Deployment' 'metadata:' '  name: web' 'spec:' '  replicas: 6'
shows k.yaml "$db.spec.replicas" 2
runs 0 change reset k.yaml "$web.spec"
[ ! -e site/k.yaml ]

# A target between two layers: its new document stands before the higher layer's own.
fresh
mkdir host
printf '%s\n' 'kind: Pod' 'metadata: {name: p}' 'v: 1' >host/k.yaml
runs 0 "$PLYFS" set -L site -l vendor:site:host k.yaml "$new.a=1" "$new.b=2" "$web.spec.replicas=4"
runs 0 "$PLYFS" get -l vendor:site:host k.yaml "$new.b"
prints 2
runs 1 "$PLYFS" set -L site -l vendor:site:host k.yaml '[kind=Pod,metadata.name=p].v' 2
grep -q "host/k.yaml:3:4: the layer 'host' is higher and sets it" err
runs 0 "$PLYFS" unset -L site -l vendor:site:host k.yaml "$new" "$db"
runs 0 "$PLYFS" get --json -l vendor:site:host k.yaml '[1]'
prints '{"kind": "Pod", "metadata": {"name": "p"}, "v": 1}'

# As JSON, and without writing.
fresh
runs 0 change set --json -n k.yaml "$db.spec.replicas" 5
python3 -c 'import json
change, = json.load(open("out"))["changes"]
value, = change["values"]
assert value["key"] == "[kind=Deployment,metadata.name=db].spec.replicas", value
assert value["before"] == 2 and value["after"] == 5 and value["line"] == 5, value'
[ ! -e site/k.yaml ]

# By position: a document of a file of one layer; and where the rule says so, empty ones before it.
printf '%s\n' 'a: 1' --- 'a: 2 # two' --- 'b: 3' >vendor/p.yaml
runs 0 change set -L vendor p.yaml '[1].a' 5
[ "$(cat vendor/p.yaml)" = "$(printf '%s\n' 'a: 1' --- 'a: 5 # two' --- 'b: 3')" ]
runs 0 change unset -L vendor p.yaml '[1]'
[ "$(cat vendor/p.yaml)" = "$(printf '%s\n' 'a: 1' --- 'b: 3')" ]
runs 1 change set p.yaml '[1].b' 4
grep -q "give the rule the option 'documents'" err
[ ! -e site/p.yaml ]
cat >plyfs.yaml <<'END_OF_FILE'
layers: [vendor, site]
rules:
  - match: p.yaml
    options: {documents: position}
  - match: i.yaml
    options: {documents: {by: id}}
END_OF_FILE
runs 0 "$PLYFS" set -c plyfs.yaml p.yaml '[1].b' 4
[ "$(cat site/p.yaml)" = "$(printf '%s\n' --- --- 'b: 4')" ] || fail "$(cat site/p.yaml)"
runs 0 "$PLYFS" set -c plyfs.yaml p.yaml a 4
runs 0 "$PLYFS" get -c plyfs.yaml --json p.yaml '[0]'
prints '{"a": 4}'
runs 1 "$PLYFS" unset -c plyfs.yaml p.yaml '[0]'

# By the option's key, from the first document on.
runs 0 "$PLYFS" set -c plyfs.yaml i.yaml '[id=a].v' 1
[ "$(cat site/i.yaml)" = "$(printf '%s\n' 'id: a' 'v: 1')" ] || fail "$(cat site/i.yaml)"
runs 0 "$PLYFS" set -c plyfs.yaml -L vendor i.yaml '[id=b].v' 2
runs 0 "$PLYFS" set -c plyfs.yaml i.yaml '[id=b].v' 3
[ "$("$PLYFS" cat -c plyfs.yaml i.yaml | sed 1d)" = "$(printf '%s\n' 'id: b' 'v: 3' --- 'id: a' 'v: 1')" ]

# A file of one document has a name only if it needs one.
printf '%s\n' 'kind: A' 'metadata: {name: x}' 'v: 1' >vendor/one.yaml
runs 0 change set one.yaml v 2
[ "$(cat site/one.yaml)" = 'v: 2' ]
rm site/one.yaml
runs 0 change set one.yaml '[kind=A,metadata.name=y].v' 2
runs 0 change set one.yaml '[kind=A,metadata.name=x].v' 3
runs 0 "$PLYFS" get -l vendor:site one.yaml '[kind=A,metadata.name=x].v'
prints 3

# plyfs edit: each change goes into its document; new ones are added, others removed.
fresh
cat >editor <<'END_OF_FILE'
#!/bin/sh
sed -i 's/replicas: 1/replicas: 9/; /^---$/,$d' "$1"
printf '%s\n' --- 'kind: Job' 'metadata: {name: new}' 'a: 1' >>"$1"
END_OF_FILE
chmod +x editor
export EDITOR="$PWD/editor"
runs 0 change edit k.yaml
runs 0 "$PLYFS" cat -l vendor:site k.yaml
[ "$("$PLYFS" get -l vendor:site k.yaml "$web.spec.replicas")" = 9 ]
[ "$("$PLYFS" get -l vendor:site k.yaml "$new.a")" = 1 ]
runs 1 "$PLYFS" get -l vendor:site k.yaml "$db"
grep -q '!delete' site/k.yaml

# A position counts the documents of the merged file, also where the layer removed the value.
printf 'kind: A\nmetadata: {name: a}\nx: 1\n---\nkind: B\nmetadata: {name: b}\ny: 2\n' >vendor/at.yaml
printf -- '---\nkind: C\nmetadata: {name: c}\nz: 3\n' >>vendor/at.yaml
runs 0 change unset at.yaml '[2].z' '[1].y'
cp site/at.yaml keep
for key in '[0].z' '[1].z' '[2].y' '[3].z'; do
	runs 1 change reset at.yaml "$key"
	cmp site/at.yaml keep
done
runs 0 change reset at.yaml '[1].y' '[2].z'
[ ! -e site/at.yaml ] || fail "it is: $(cat site/at.yaml)"
cp keep site/at.yaml
runs 0 change reset at.yaml '[kind=B].y' '[kind=A].x'
[ "$(cat site/at.yaml)" = "$(head -4 keep)" ] || fail "it is: $(cat site/at.yaml)"
runs 0 change reset at.yaml '[2].z'
[ ! -e site/at.yaml ] || fail "it is: $(cat site/at.yaml)"

# If the documents are merged into one, the value is changed in the document that has it, and taken back in each.
printf 'layers: [vendor, site]\nrules: [{match: m.yaml, options: {documents: merge}}]\n' >merged.yaml
mkdir -p vendor site
printf 'a: 1\nb: 1\n' >vendor/m.yaml
printf 'a: 2\n---\nb: 2\n' >site/m.yaml
runs 0 "$PLYFS" set -c merged.yaml m.yaml a 3
prints 'site/m.yaml:1: a: 2 -> 3'
printf 'a: 2\n---\nb: 2\n---\na: 3\nc: 3\n' >site/m.yaml
runs 0 "$PLYFS" reset -c merged.yaml m.yaml a
runs 0 "$PLYFS" get -c merged.yaml m.yaml a
prints 1
