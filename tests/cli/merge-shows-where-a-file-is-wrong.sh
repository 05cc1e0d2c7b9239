#!/bin/bash
. "$(dirname "$0")/cli.sh"

echo 'a: 1' >good.yaml
printf 'a: 1\nlist: [1, 2\nb: 2\n' >bad.yaml
runs 1 "$PLYFS" merge good.yaml bad.yaml
[ ! -s out ]
[[ $(head -1 err) =~ ^plyfs:\ bad\.yaml:[0-9]+:[0-9]+:\  ]] || fail "it says: $(cat err)"
[ "$(wc -l <err)" -eq 3 ] || fail "not three lines: $(cat err)"
sed -n 3p err | grep -qE '^ +\^$'

# The mark is below the very character, also in a long line and behind characters that are not ASCII.
python3 -c 'print("k: " + "ä" * 200 + " \\x00: [}")' >long.yaml
runs 1 "$PLYFS" merge good.yaml long.yaml
[ "$(wc -l <err)" -ge 1 ]

# So it is in the first line of a file that begins with a byte order mark, as editors of Windows write it.
printf '\xEF\xBB\xBF{"a": 1 "b": 2}\n' >bom.json
runs 1 "$PLYFS" merge good.yaml bom.json
[[ $(cat err) = *'bom.json:1:9: '*$'\n    {"a": 1 "b": 2}\n            ^' ]] || fail "it says: $(cat err)"
printf '\xEF\xBB\xBFa: 1\nb: [\n' >bom.yaml
runs 1 "$PLYFS" merge good.yaml bom.yaml
[[ $(cat err) = *'bom.yaml:2:4: '*$'\n    b: [\n       ^' ]] || fail "it says: $(cat err)"

runs 1 "$PLYFS" merge good.yaml missing.yaml
says 'missing.yaml: can'
runs 1 "$PLYFS" merge good.yaml .
says 'it is a directory; give a file'
truncate -s 17M large.yaml
runs 1 "$PLYFS" merge good.yaml large.yaml
says 'larger than the limit of 16777216 bytes'
! grep -q $'\033' err
