#!/bin/bash
. "$(dirname "$0")/cli.sh"

need python3
mkdir vendor site
printf 'server:\n  port: 80\n  tls: true\nhosts: [a, b]\n' >vendor/app.yaml
printf 'server:\n  port: 8080\n' >site/app.yaml

# CODE (Python, with the output as `told`), and the command with --json.
tells() {
	runs "$1" "$PLYFS" "$3" --json -l vendor:site "${@:4}"
	python3 - "$2" <<'PYTHON' || fail "$3 prints: $(cat out)"
import json, sys
text = open("out", encoding="utf-8").read()
assert all(c >= " " and c != "\x7f" or c == "\n" for c in text)
told = json.loads(text)
changes = told["changes"]
values = [value for change in changes for value in change["values"]]
assert eval(f"({sys.argv[1]})"), told
PYTHON
	[ ! -s err ] || fail "it says: $(cat err)"
}

tells 0 'told["path"] == "app.yaml" and told["dry_run"] is False and len(changes) == 1 and
	(changes[0]["file"], changes[0]["layer"], changes[0]["change"]) == ("site/app.yaml", "site", "changed") and
	values == [{"key": "server.port", "line": 2, "before": 8080, "after": 9090},
		{"key": "server.tls", "line": 3, "before": True, "after": None,
			"overrides": {"layer": "vendor", "file": "vendor/app.yaml", "line": 3}},
		{"key": "list", "line": 5, "after": ["x", {"a": 1}]}]' \
	set app.yaml server.port=9090 server.tls=null 'list=[x, {a: 1}]'
tells 0 'changes == []' set app.yaml server.port 9090

# A dry run has the difference, and changes nothing.
cp site/app.yaml before
tells 0 'told["dry_run"] and changes[0]["diff"].startswith("--- site/app.yaml\n+++ site/app.yaml\n@@ ") and
	"\n+  port: 1\n" in changes[0]["diff"] and values[0]["after"] == 1' set -n app.yaml server.port 1
cmp before site/app.yaml

# A removed value has nothing after it; a lower layer's value is hidden, or shows again.
tells 0 '[value["key"] for value in values] == ["hosts[0]", "list"] and not any("after" in value for value in values) and
	values[0]["hides"]["file"] == "vendor/app.yaml"' unset app.yaml list 'hosts[0]'
tells 0 'values == [{"key": "server.port", "before": 9090, "after": 80,
	"shows": {"layer": "vendor", "file": "vendor/app.yaml", "line": 2}}]' reset app.yaml server.port
tells 0 'changes == []' reset app.yaml server.port

# Whole files.
tells 0 'changes[0]["change"] == "removed" and told["dry_run"]' reset --dry-run app.yaml
tells 0 'changes == [{"file": "site/app.yaml", "layer": "site", "change": "removed", "values": []}]' reset app.yaml
tells 0 'changes == []' reset app.yaml
tells 0 'changes == [{"file": "site/.wh.app.yaml", "layer": "site", "change": "made", "hides": "vendor/app.yaml",
	"values": []}]' hide app.yaml
tells 0 'changes == []' hide app.yaml
tells 0 'changes[0]["file"] == "site/.wh.app.yaml" and changes[0]["change"] == "removed"' reset app.yaml

# A drop-in is a source of its own.
mkdir site/app.yaml.d
echo 'server: {port: 1}' >site/app.yaml
printf 'server: {port: 2}\nstays: 1\n' >site/app.yaml.d/10.yaml
printf 'layers: [vendor, site]\nrules: [{match: app.yaml, dropins: true}]\n' >plyfs.yaml
runs 0 "$PLYFS" reset --json -c plyfs.yaml app.yaml server.port
python3 -c 'import json; assert len(json.load(open("out"))["changes"]) == 2' || fail "$(cat out)"

# Hostile names and values.
printf 'a: "x\\e]0;y\\a\\u202e"\n' >vendor/odd.yaml
tells 0 'values[0]["before"] == "x\x1b]0;y\x07\u202e"' unset odd.yaml a
name=$(printf 'b\351\n.yaml')
echo 'x: 1' >"vendor/$name"
tells 0 'told["path"] == "b\ufffd\n.yaml" and values[0]["after"] == 2' set "$name" x 2
