#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor/sub site
printf 'a: 1\n' | tee vendor/app.yaml vendor/gone.yaml >vendor/sub/x.yaml
printf 'b: 2\n' >site/app.yaml
ln -s app.yaml site/link
render() { "$PLYFS" render --no-header -l vendor:site "$@"; }
# Names, times and bytes of the whole directory.
state() { find "${1:-tree}" -printf '%p %y %m %i %C@ %l\n' 2>/dev/null | sort; }

# A dry run into a directory that does not exist makes nothing.
runs 0 render -n tree
prints 'would write app.yaml
would write gone.yaml
would write link
would write sub/x.yaml
4 files, 4 would be written'
[ ! -e tree ] || fail 'a dry run makes the directory'
runs 1 render -n nowhere/tree
says 'nowhere/tree: there is no such file or directory'
for option in -n -q; do
	runs 1 render $option ''
	says 'there is no such file or directory'
done
runs 0 render tree
prints '4 files, 4 written'
runs 0 render tree
prints '4 files, 0 written'
runs 0 render -q tree
prints ''

# A dry run reports the same as the real run, and the tree stays as it was.
agree() {
	local atomic=$1 code=$2 before dry
	before=$(state)
	runs "$code" render $atomic -n tree
	[ "$(state)" = "$before" ] || fail "a dry run changes the tree: $(diff <(state) - <<<"$before")"
	dry=$(tail -n 1 out | sed 's/would be //g')
	runs "$code" render $atomic --json -n tree
	grep -v dry_run out >dry.json
	[ "$(state)" = "$before" ] || fail 'a dry run with --json changes the tree'
	cp -a tree copy
	runs "$code" render $atomic --json tree
	cp err "errors$code.json"
	cp out result.json
	grep -v dry_run out >done.json
	cmp dry.json done.json || fail "$(diff dry.json done.json)"
	rm -rf tree
	mv copy tree
	runs "$code" render $atomic tree
	prints "$dry"
}
# told EXPRESSION: the Python expression is true of the last result.
told() {
	python3 -c 'import json, sys
told = json.load(open("result.json", encoding="utf-8"))
sys.exit(not eval(sys.argv[1]))' "$1" || fail "not $1: $(cat result.json)"
}
need python3
runs 0 "$PLYFS" help render
grep -q -- '--json .*print the result as one JSON object$' out || fail "the help says: $(grep -e --json out)"
for atomic in '' --atomic; do
	rm -rf tree vendor/late site/sub
	printf 'a: 1\n' | tee vendor/app.yaml >vendor/gone.yaml
	printf 'b: 2\n' >site/app.yaml
	runs 0 render $atomic tree
	agree "$atomic" 0
	told 'not told["written"] + told["removed"] + told["failed"] and len(told["unchanged"]) == told["files"] == 4'
	printf 'b: 3\n' >site/app.yaml
	rm vendor/gone.yaml
	mkdir vendor/late
	echo 1 >vendor/late/new
	runs 0 render $atomic -n tree
	prints 'would change app.yaml
would remove gone.yaml
would write late/new
4 files, 2 would be written, 1 would be removed'
	agree "$atomic" 0
	told 'told["written"] == ["app.yaml", "late/new"] and told["removed"] == ["gone.yaml"]'
	# Only rights change.
	chmod 600 vendor/late/new
	agree "$atomic" 0
	told 'told["written"] == ["late/new"]'
	# A directory becomes a file, and a file a directory.
	rm -r vendor/late
	echo 2 >vendor/late
	agree "$atomic" 0
	rm vendor/late
	mkdir vendor/late
	echo 3 >vendor/late/again
	agree "$atomic" 0
	# Drift.
	if [ ! "$atomic" ]; then
		rm tree/link
		agree "$atomic" 0
		told 'told["written"] == ["link"]'
		echo mine >tree/late/mine
		rm -r vendor/late
		agree "$atomic" 1
		told '[f["path"] for f in told["failed"]] == ["late"] and "is not plyfs" in told["failed"][0]["message"]'
		rm tree/late/mine
	fi
	echo mine >tree/way
	echo theirs >site/way
	agree "$atomic" 1
	grep -q 'stands in the way' err
	told 'told["failed"] and told["files"] == len(told["written"] + told["unchanged"])'
	rm site/way
	# A file that does not merge.
	printf 'b: [\n' >site/app.yaml
	agree "$atomic" 1
	tail -n 1 out | grep -q ', 1 does not merge$'
	told '[f["path"] for f in told["failed"]] == ["app.yaml"] and "site/app.yaml:1:4" in told["failed"][0]["message"]'
	# With --json, each message has the place that it names.
	python3 - <<'PY' || fail "no places: $(cat errors1.json)"
import json
errors = [json.loads(line)["error"] for line in open("errors1.json", encoding="utf-8")]
places = [(error["path"].split("/")[-2:], error["line"], error["column"]) for error in errors]
assert sorted(places, key=str) == [(["app.yaml"], None, None), (["site", "app.yaml"], 1, 4)], places
assert not any("app.yaml" in error["message"] for error in errors)
PY
done

mkdir full
echo x >full/x
runs 1 render -n full
says 'was not rendered by plyfs'
runs 1 render -n vendor
says "the layer 'vendor' is the directory that is rendered into"
runs 2 render -n -w tree
says '--watch goes on'

# Progress is shown only on a terminal, and is erased at the end.
need_terminal
printf 'b: 2\n' >site/app.yaml
cat >plyfs.yaml <<'Y'
layers: [{name: vendor, path: vendor}]
rules: [{match: "*.slow", check: [sh, -c, "sleep 1.2", sh, "%f"]}]
Y
for i in 1 2; do echo "$i" >"vendor/$i.slow"; done
script -qec "'$PLYFS' render -c plyfs.yaml slow" typed >/dev/null </dev/null
grep -q $'rendering [0-9]' typed || fail 'no progress is shown'
grep -q $'\033\[K[0-9]* files, ' typed || fail 'it is not erased'
rm -r slow
script -qec "'$PLYFS' render -q -c plyfs.yaml slow" typed >/dev/null </dev/null
! grep -q rendering typed || fail 'with -q progress is shown'
