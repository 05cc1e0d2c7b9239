#!/bin/bash
. "$(dirname "$0")/mount.sh"
# A worker explains a large file when the mount is taken over. The request is repeated: its reader gets the explanation,
# and no error.

python3 -c 'for i in range(60000): print(f"key{i}: {{a: 1, b: [1, 2]}}")' >low/big.yaml
echo 'key1: {b: [3]}' >high/big.yaml
# A busy machine takes long for it.
printf 'layers: [low, high]\noptions: {header: false, limits: {time: 60m}}\n' >plyfs.yaml
start -c plyfs.yaml mnt
cat mnt/big.yaml >/dev/null
for pause in 0.1 0.4; do
	cat mnt/.plyfs/origins/big.yaml >got 2>error &
	reader=$!
	sleep $pause
	"$PLYFS" mount --take-over mnt >/dev/null || fail "it was not taken over"
	wait $reader || fail "the reader: $(cat error)"
	python3 -c '
import json, sys
found = json.load(open("got"))
assert found["kind"] != "error", found' || fail "$(head -c 500 got)"
done
