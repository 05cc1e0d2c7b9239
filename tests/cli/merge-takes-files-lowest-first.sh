#!/bin/bash
. "$(dirname "$0")/cli.sh"

echo 'a: 1' >low.yaml
printf 'a: 2\nb: [x]\n' >high.yaml
echo '{"c": 0x10}' >other
runs 0 "$PLYFS" merge low.yaml high.yaml
prints $'a: 2\nb: [x]'
runs 0 "$PLYFS" merge high.yaml low.yaml
prints $'a: 1\nb: [x]'

# Standard input, once; a pipe by name.
runs 0 "$PLYFS" merge low.yaml - <high.yaml
prints $'a: 2\nb: [x]'
runs 0 "$PLYFS" merge low.yaml <(cat high.yaml)
prints $'a: 2\nb: [x]'

# The output's format follows the input's.
echo '{"a": 1}' >low.json
echo '{"b": 1.10}' >high.json
runs 0 "$PLYFS" merge low.json high.json
python3 -c 'import json; assert json.load(open("out")) == {"a": 1, "b": 1.1}'
grep -q '1\.10' out
runs 0 "$PLYFS" merge low.json high.yaml
prints $'"a": 2\nb: [x]'
runs 0 "$PLYFS" merge --to json low.yaml high.yaml
python3 -c 'import json; assert json.load(open("out")) == {"a": 2, "b": ["x"]}'
runs 0 "$PLYFS" merge --to yaml low.json high.json
cp out between.yaml
runs 0 "$PLYFS" merge --to json between.yaml
python3 -c 'import json; assert json.load(open("out")) == {"a": 1, "b": 1.1}'

# A file without a known suffix does not decide the format.
printf '[a]\nx=1\n' >low.ini
for files in 'low.ini /dev/null' '/dev/null low.ini' 'low.ini -'; do
	# shellcheck disable=SC2086
	runs 0 "$PLYFS" merge $files </dev/null
	prints $'[a]\nx = 1'
done

# A file that may be INI is read as the dialect of --format.
printf '[a]\nb-c=1\n' >dash.ini
printf '[a]\nb_c=2\n' >underscore
runs 0 "$PLYFS" merge --to mysql dash.ini underscore
prints $'[a]\nb_c = 2'

# A file without a known suffix is read in the format of the merged file, or as YAML if that is JSON.
printf '[a]\nx=1\n' | tee low.conf >low.service
for arguments in '--to systemd low.conf low.conf' 'low.service low.conf'; do
	# shellcheck disable=SC2086
	runs 0 "$PLYFS" merge $arguments
	prints $'[a]\nx=1\nx=1'
done
runs 0 "$PLYFS" merge --to json other low.yaml
prints $'{\n  "c": 16,\n  "a": 1\n}'
runs 0 "$PLYFS" merge --to toml - <low.yaml
prints 'a = 1'

# JSON with comments is a format of its own.
echo '{"b": 2,} // more' >more.jsonc
runs 0 "$PLYFS" merge more.jsonc more.jsonc
prints $'{\n  "b": 2\n}'
runs 0 "$PLYFS" merge --header more.jsonc more.jsonc
prints $'// Merged by plyfs (deep); edit the sources: more.jsonc\n{\n  "b": 2\n}'
runs 0 "$PLYFS" merge low.json more.jsonc
prints $'"a": 1\n"b": 2'
# With --to jsonc, comments may also be in files of another name.
cp more.jsonc more.json
runs 0 "$PLYFS" merge --to jsonc low.json more.json
prints $'{\n  "a": 1,\n  "b": 2\n}'
runs 1 "$PLYFS" merge low.json more.json
runs 2 "$PLYFS" merge --to jso low.json
grep -q "there is no format 'jso'; there are: yaml, json, jsonc" err

runs 0 "$PLYFS" merge --set lists=append low.yaml high.yaml high.yaml
prints $'a: 2\nb: [x, x]'
runs 0 "$PLYFS" merge --set lists=append --set lists=replace high.yaml high.yaml
prints $'a: 2\nb: [x]'
runs 0 "$PLYFS" merge -s concat --set 'separator="---"' low.yaml high.yaml
prints $'a: 1\n---\na: 2\nb: [x]'
