#!/bin/bash
# 'plyfs check' goes on when a source crashes its parser, keeps it busy for ever or takes all memory, and names it.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/marked.sh"

cat >plyfs.yaml <<YAML
layers: [low, high]
options: {limits: {time: 500ms}}
YAML
for name in crash loop memory other; do
	echo "a: 1" >low/$name.yaml
	echo "b: fault-$name" >high/$name.yaml
done
echo 'b: [' >high/broken.yaml
code=0
LD_PRELOAD=$MARKED_LIBRARY "$PLYFS" check -c plyfs.yaml >out 2>&1 || code=$?
[ $code -eq 1 ] || fail "it exits with $code: $(cat out)"
says() {
	grep -qF "$1" out || fail "no '$1' in: $(cat out)"
}
says "high/crash.yaml: the process that read it crashed (SIGSEGV); undo its last change"
says "high/loop.yaml: the process that read it took more than 5 s of a processor; undo its last change"
says "high/memory.yaml: can't be read with 2048 MiB of memory; make it smaller"
says "high/broken.yaml:1:4: the '[' is not closed"
says "5 files: 4 do not merge"
