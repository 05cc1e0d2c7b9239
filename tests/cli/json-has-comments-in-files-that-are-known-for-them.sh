#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A built-in rule says which files are JSON with comments. The merged file has none, not even the header, as other
# programs use the same names. Drop-ins may have comments.
mkdir -p low/sub/settings.json.d high/sub
for name in settings.json tsconfig.json .eslintrc.json devcontainer.json app.code-workspace; do
	printf '{ // a comment\n  "a": 1,\n}\n' >"low/sub/$name"
	printf '/* another */ {"b": 2}\n' >"high/sub/$name"
done
cat >plyfs.yaml <<'YAML'
layers: [low, high]
rules:
  - {match: "**/settings.json", dropins: layers}
  - {match: "**/ruled.json", format: jsonc}
  - {match: "**/devcontainer.json", format: jsonc}
YAML
printf '{"c": 3, /* of a drop-in */}\n' >low/sub/settings.json.d/10-more.json
runs 0 "$PLYFS" cat -c plyfs.yaml sub/settings.json
[ "$(tr -d ' \n' <out)" = '{"a":1,"c":3,"b":2}' ]
for name in tsconfig.json .eslintrc.json devcontainer.json; do
	runs 0 "$PLYFS" cat -c plyfs.yaml "sub/$name"
	[ "$(tr -d ' \n' <out)" = '{"a":1,"b":2}' ] || fail "$name: $(cat out)"
done
runs 0 "$PLYFS" cat -c plyfs.yaml sub/app.code-workspace
[[ $(head -n 1 out) == '// Merged by plyfs'* ]]
[ "$(tail -n +2 out | tr -d ' \n')" = '{"a":1,"b":2}' ]

# A change keeps the comments of the source.
runs 0 "$PLYFS" set -c plyfs.yaml --layer low sub/tsconfig.json a 5
[ "$(cat low/sub/tsconfig.json)" = '{ // a comment
  "a": 5,
}' ]

# Any other file may have comments by a rule, which the error names. A rule may also say that one has none.
cp low/sub/tsconfig.json low/sub/ruled.json
cp high/sub/tsconfig.json high/sub/ruled.json
runs 0 "$PLYFS" cat -c plyfs.yaml sub/ruled.json
mv low/sub/ruled.json low/sub/other.json
mv high/sub/ruled.json high/sub/other.json
runs 1 "$PLYFS" cat -c plyfs.yaml sub/other.json
grep -q "'format: jsonc' in its rule" err
sed -i 's/"\*\*\/devcontainer.json", format: jsonc/"**\/devcontainer.json", format: json/' plyfs.yaml
runs 1 "$PLYFS" cat -c plyfs.yaml sub/devcontainer.json
grep -q "JSON has no comments" err
