#!/bin/bash
. "$(dirname "$0")/cli.sh"

need python3
mkdir vendor site other presets
printf 'a: 1\nb: 2\n' >vendor/app.yaml
printf 'a: 3\n' >site/app.yaml
printf 'a: 4\n' >other/app.yaml
: >other/empty
printf 'x\0y' >other/binary

# CODE (Python, with the output as `told`), and the command.
tells() {
	runs "$1" "$PLYFS" "${@:3}"
	python3 - "$2" <<'PYTHON' || fail "${*:3} prints: $(cat out)"
import json, sys
told = json.load(open("out", encoding="utf-8"))
all_ = told.get("differences")
assert eval(f"({sys.argv[1]})"), told
PYTHON
	[ ! -s err ] || fail "it says: $(cat err)"
}

# Changes of each layer: the diffs, one after the other, make the file.
tells 0 '[one["layers"] for one in all_] == [["vendor"], ["site"]] and all(one["path"] == "app.yaml" for one in all_) and
	all_[1]["old"] == "without site" and all_[1]["new"] == "with site (site/app.yaml)" and
	all_[1]["diff"] == "--- without site\n+++ with site (site/app.yaml)\n@@ -1,2 +1,2 @@\n-a: 1\n+a: 3\n b: 2\n"' \
	diff --json -l vendor:site app.yaml
tells 0 'len(all_) == 1 and all_[0]["layers"] == ["vendor"]' diff --json -l vendor app.yaml

# Two sets of layers.
tells 1 '[one["path"] for one in all_] == ["app.yaml", "binary", "empty"] and not any("layers" in one for one in all_) and
	all_[0]["old"] == "a/app.yaml" and all_[2]["old"] is None and all_[2]["new"] == "b/empty" and
	all_[1]["diff"].startswith("Binary files")' diff --json --exit-code -l vendor -l vendor:other
tells 0 'told == {"differences": []}' diff --json --exit-code --color always -l vendor -l vendor
tells 0 '"\x1b" not in all_[0]["diff"] and "@@ -1 +1 @@" in all_[0]["diff"]' \
	diff --json -U0 --color always -l vendor -l vendor:other app.yaml

# A rendered tree with drift.
"$PLYFS" render -l vendor:site tree >/dev/null
tells 0 'all_ == []' diff --json tree
echo 'a: 9' >tree/app.yaml
tells 0 'len(all_) == 1 and all_[0]["path"] == "app.yaml" and all_[0]["change"] and "+a: 9\n" in all_[0]["diff"]' \
	diff --json tree

# Presets.
export PLYFS_PRESETS=presets
tells 0 'told == {"presets": []}' presets --json
printf 'description: "One \\e[31m"\nrules: [{match: "*.x", strategy: deep}]\n' >presets/one.yaml
printf 'description: Two\nrules: []\n' >presets/two.yaml
tells 0 '[(one["name"], one["description"], one["path"]) for one in told["presets"]] ==
	[("one", "One \x1b[31m", "presets/one.yaml"), ("two", "Two", "presets/two.yaml")]' presets --json
tells 0 'told["name"] == "one" and told["rules"] == [{"match": "*.x", "strategy": "deep"}] and
	told["text"] == open("presets/one.yaml").read()' presets --json one

# A broken preset is an error, and the others are listed all the same.
echo 'rules: [' >presets/bad.yaml
runs 1 "$PLYFS" presets --json
python3 - <<'PYTHON'
import json
assert len(json.load(open("out"))["presets"]) == 2
assert json.load(open("err"))["error"]["path"] == "presets/bad.yaml"
PYTHON
