#!/bin/bash
. "$(dirname "$0")/cli.sh"

need python3
cp -r "$(dirname "$(realpath "$0")")/explain/." .
same() {
	python3 -m json.tool <out >/dev/null || fail "not JSON"
	diff -u "$1" out >&2 || fail "it prints something else than $1"
}

runs 0 "$PLYFS" explain --json -c plyfs.yaml app.yaml
same whole.json
runs 0 "$PLYFS" explain --json -c plyfs.yaml app.yaml cache.old.kept
same gone.json

# A part of the output is the same as the part of the whole.
runs 0 "$PLYFS" explain --json -c plyfs.yaml app.yaml server.port
python3 - <<'END'
import json
part, whole = json.load(open("out")), json.load(open("whole.json"))
assert part["values"] == [value for value in whole["values"] if value["key"] == "server.port"]
END

# Hostile text: the output is still JSON, and nothing in it steers a terminal.
printf '"a\\e[31m\\x85\\u2028": "\\0\\e]0;x\\a\\u202e"\nn: .inf\nm: {? [1] : 0x1F, ? {a: b} : ~}\n' >vendor/odd.yaml
echo 'o: 1' >site/odd.yaml
runs 0 "$PLYFS" explain --json -c plyfs.yaml odd.yaml
python3 - <<'END'
import json
text = open("out", encoding="utf-8").read()
assert all(c >= " " and c not in "\x7f\x85\u2028\u202e" or c == "\n" for c in text), text
values = {value["key"]: value for value in json.loads(text)["values"]}
assert values['"a\\u001b[31m\\u0085\\u2028"']["value"] == "\0\x1b]0;x\x07\u202e", values
assert values["n"]["value"] == ".inf"
assert (values["m[?]"]["value"], values["o"]["value"]) in ((31, 1), (None, 1)), values
END

# A map has a tag as a scalar does.
printf 'm: !x {a: 1}\n' >vendor/tag.yaml
printf 'm: !x {b: !y 2}\n' >site/tag.yaml
runs 0 "$PLYFS" explain --json -c plyfs.yaml tag.yaml
grep -qF '"kind": "map", "count": 2, "tag": "!x"' out || fail "$(cat out)"

# A name of a file may hold any byte.
name=$(printf 'b\351\n.yaml')
echo 'x: 1' | tee "vendor/$name" >"site/$name"
runs 0 "$PLYFS" explain --json -l vendor:site "$name"
python3 -c 'import json; assert json.load(open("out", encoding="utf-8"))["path"] == "b\ufffd\n.yaml"'

# What strategies that read the text themselves give is values, too.
printf '#cloud-config\na: 1\n' | tee vendor/user-data >site/user-data
printf 'layers: [vendor, site]\nrules: [{match: user-data, strategy: cloud-init}]\n' >cloud.yaml
runs 0 "$PLYFS" explain --json -c cloud.yaml user-data
python3 -c 'import json; assert json.load(open("out"))["kind"] == "values"'

# In a format that has only texts, the values of a YAML drop-in are texts, too.
printf 'layers: [vendor, site]\nrules: [{match: t.ini, dropins: layers}]\n' >texts.yaml
mkdir site/t.ini.d
printf '[s]\nx = 1\n' >vendor/t.ini
printf 's: {x: 0755, z: yes}\n' >site/t.ini.d/1.yaml
runs 0 "$PLYFS" explain --json -c texts.yaml t.ini
grep -qF '"value": "0755", "layer": "site"' out
runs 0 "$PLYFS" get --json -c texts.yaml t.ini s
prints '{"x": "0755", "z": "yes"}'
