#!/bin/bash
. "$(dirname "$0")/cli.sh"

need python3
mkdir vendor site
printf 'a: 1\nt: text\n' >vendor/app.yaml
printf 'a: [\n' >vendor/bad.yaml
echo 'a: 1' | tee site/bad.yaml >site/app.yaml

# CODE (Python, with the line on standard error as `error`), and the command.
tells() {
	runs "$1" "$PLYFS" "${@:3}"
	python3 - "$2" <<'PYTHON' || fail "${*:3} says: $(cat err)"
import json, sys
told = json.load(open("err", encoding="utf-8"))
assert list(told) == ["error"], told
error = told["error"]
assert list(error) == ["message", "path", "line", "column"], error
assert "plyfs: " not in error["message"]
assert eval(f"({sys.argv[1]})"), error
PYTHON
	[ ! -s out ] || python3 -m json.tool <out >/dev/null || fail "${*:3} prints: $(cat out)"
}

# Each command that has the option.
for command in set unset reset hide edit diff ls cat get explain blame check render presets status 'mirror status'; do
	# shellcheck disable=SC2086
	tells 2 '"--bogus" in error["message"] and error["path"] is None' $command --json --bogus
	# shellcheck disable=SC2086
	tells 2 '"--bogus" in error["message"]' $command --bogus x --json
done
for command in 'set app.yaml a 2' 'unset app.yaml a' 'reset app.yaml a' 'hide app.yaml' 'diff app.yaml' \
	'get app.yaml a' 'edit app.yaml' 'explain app.yaml' 'blame app.yaml' 'check'; do
	# shellcheck disable=SC2086
	tells 1 'error["path"] == "nope/plyfs.yaml"' $command --json -c nope/plyfs.yaml
done

# The message has the whole path, as without --json.
tells 1 'error["path"].endswith("/nope/plyfs.yaml")' render --json -c nope/plyfs.yaml tree
tells 1 'error["path"].endswith("/nope/plyfs.yaml")' cat --json -c nope/plyfs.yaml app.yaml

# The error has a place in a source; no line of the source follows it.
for command in 'set bad.yaml a 2' 'get bad.yaml a' 'edit bad.yaml' 'explain bad.yaml' 'blame bad.yaml' 'diff bad.yaml'; do
	# shellcheck disable=SC2086
	tells 1 '(error["path"], error["line"], error["column"]) == ("vendor/bad.yaml", 1, 4)' \
		$command --json -l vendor:site
done
tells 1 'error["path"] == "app.yaml" and error["message"].startswith("has no")' get --json -l vendor:site app.yaml b
for command in cat explain blame; do
	tells 1 'error["path"] == "nope.yaml"' $command --json -l vendor:site nope.yaml
	runs 2 "$PLYFS" $command --json app.yaml
	python3 -c 'import json; assert "in layers" in json.load(open("err"))["error"]["message"]' || fail "$(cat err)"
done
tells 1 'error["path"] is None' reset -L other --json -l vendor:site app.yaml a
tells 1 '"no preset" in error["message"]' presets --json none
tells 1 'error["path"] == "site"' status --json site

# A name may hold any byte.
tells 1 '"x" in error["path"] and "\n" not in error["path"]' get --json -l vendor:site "$(printf 'x\n\351\e[31m')" a

# The editor's errors, and the changes that it makes.
export EDITOR=false VISUAL=
tells 1 '"EDITOR" in error["message"]' edit --json -l vendor:site app.yaml
for EDITOR in true "sed -i s/1/7/"; do
	runs 0 "$PLYFS" edit -n --json -l vendor:site app.yaml
	[ ! -s err ] || fail "edit says: $(cat err)"
	python3 -c 'import json, sys; told = json.load(open("out"))["changes"]; assert len(told) == (sys.argv[1] != "true"), told' "$EDITOR"
done

# A refused text: the message has the place in the file in which the text is kept, which another one names.
EDITOR="sed -i s/text/[/" runs 1 "$PLYFS" edit --json -l vendor:site app.yaml </dev/null
python3 -c '
import json, os
refused, kept = [json.loads(line)["error"] for line in open("err")]
name = kept["message"].split()[-1]
assert (refused["path"], refused["line"], refused["column"]) == ("app.yaml", 4, 4), refused
assert open(name).read().splitlines()[refused["line"] - 1] == "t: [", name
os.unlink(name)' || fail "$(cat err)"

# Of cat, the content stays as it is.
runs 1 "$PLYFS" cat --json -l vendor:site bad.yaml
python3 -c 'import json; told = json.load(open("err"))["error"]; assert (told["line"], told["column"]) == (1, 4), told'
runs 0 "$PLYFS" cat --json -l vendor:site app.yaml
grep -qx 't: text' out || fail "$(cat out)"

# A finding that is no failure is a warning.
runs 0 "$PLYFS" set --json -l vendor:site app.yaml t 80
python3 -c 'import json; told = json.load(open("err")); assert told["warning"]["path"] == "app.yaml", told'
python3 -m json.tool <out >/dev/null

# Behind "--" it is no option, and without the option messages are plain text.
runs 2 "$PLYFS" get -- --json a
says_people=$(head -c 7 err)
[ "$says_people" = 'plyfs: ' ] || fail "it says: $(cat err)"

# Nor is it one as the value of another option.
for words in '-l --json app.yaml a' '-c --json app.yaml a' '--config --json app.yaml a' '-H web -c --json app.yaml a' '--bogus=--json app.yaml'; do
	# shellcheck disable=SC2086
	"$PLYFS" get $words >out 2>err && fail "'$words' succeeds"
	[ "$(head -c 7 err)" = 'plyfs: ' ] || fail "'$words' says: $(cat err)"
done
tells 1 'error["path"] == "--json"' get -c --json --js app.yaml a

# A command that does not exist, and a path that leads out of the tree.
tells 2 '"no command" in error["message"] and "bogus" in error["message"]' bogus --json
tells 2 '"no command" in error["message"]' --json bogus
tells 2 '"no command" in error["message"]' help bogus --json
tells 1 'error["path"] == "../x"' cat --json -l vendor:site ../x
