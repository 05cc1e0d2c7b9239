#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
mkdir -p low/sub high/sub
printf 'port: 80\nname: a\n' | tee low/app.yaml low/sub/app.yaml >/dev/null
echo 'port: 8080' | tee high/app.yaml high/sub/app.yaml >/dev/null
ln -s app.yaml low/link

# tells FILE KEY: layer, file, line and column of the value, and what it overrode.
tells() {
	python3 -c '
import json, sys
for value in json.load(open("mnt/.plyfs/origins/" + sys.argv[1]))["values"]:
    if value["key"] == sys.argv[2]:
        print(value["layer"], value["file"], value["line"], value["column"],
              *(lost["layer"] + ":" + str(lost["value"]) for lost in value.get("overrides", [])))
' "$@"
}

start
[ "$(tells app.yaml port)" = "high $PWD/high/app.yaml 1 7 low:80" ]
[ "$(tells sub/app.yaml port)" = "high $PWD/high/sub/app.yaml 1 7 low:80" ]
[ "$(tells app.yaml name)" = "low $PWD/low/app.yaml 2 7" ]
cat mnt/.plyfs/origins/link | grep -q '"kind": "link"'

# The command gives the same, and needs no layers for a path in a mount.
explain --json mnt/sub/app.yaml | cmp - mnt/.plyfs/origins/sub/app.yaml
explain --json mnt/sub/../sub//app.yaml port | grep -q '"line": 1, "column": 7'
(cd mnt/sub && explain app.yaml port | grep -q "high  *$directory/high/sub/app.yaml:1:7")
# So do the others.
(cd mnt/sub && "$PLYFS" blame app.yaml) | grep -q '^high  sub/app.yaml:1 .*port: 8080$'
[ "$(cd mnt/sub && "$PLYFS" check .)" = '1 file: all merge' ]
[ "$(cd mnt && "$PLYFS" check sub/app.yaml)" = '1 file: all merge' ]

# Each open sees the layers as they are at that moment.
exec 3<mnt/.plyfs/origins/app.yaml
printf '\n\nport: 9090\n' | replace low/app.yaml
rm high/app.yaml
[ "$(tells app.yaml port)" = "low $PWD/low/app.yaml 3 7" ]
python3 -c '
import json
[port] = [v for v in json.load(open(3))["values"] if v["key"] == "port"]
assert port["layer"] == "high", port'
exec 3<&-

# Nothing is listed, as in .plyfs.
lists mnt/.plyfs/origins
lists mnt/.plyfs/origins/sub
for path in nothing nothing/app.yaml app.yaml/x .plyfs .wh.x; do
	fails_with '' cat "mnt/.plyfs/origins/$path"
done

# A file that does not merge has an origin as well: the mount still serves its last good version.
cat mnt/sub/app.yaml >/dev/null
printf 'port: 80\n  x: 1\n' >high/sub/app.yaml
eventually grep -q "\"file\": \"$PWD/high/sub/app.yaml\"" mnt/.plyfs/origins/sub/app.yaml
grep -q '"kind": "error"' mnt/.plyfs/origins/sub/app.yaml
code=0
explain mnt/sub/app.yaml 2>err || code=$?
[ $code -eq 1 ]
grep -q "^plyfs: $PWD/high/sub/app.yaml:[0-9]*:[0-9]*: " err
grep -q '^ *^$' err
shows mnt/sub/app.yaml $'port: 8080\nname: a'
for command in 'diff mnt/sub/app.yaml' 'check mnt'; do
	code=0
	# shellcheck disable=SC2086
	"$PLYFS" $command >out 2>err || code=$?
	[ $code -eq 1 ] && grep -q "^plyfs: $PWD/high/sub/app.yaml:[0-9]*:[0-9]*: " err || fail "$command: $code, $(cat err)"
done
[ "$(cat out)" = '3 files: 1 does not merge' ] || fail "it prints: $(cat out)"
