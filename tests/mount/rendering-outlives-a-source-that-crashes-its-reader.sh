#!/bin/bash
# A source that crashes its parser, keeps it busy for ever or takes all memory fails alone: all other files are rendered,
# and with --watch the file keeps its last good version until the source is repaired.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/marked.sh"

faults=(crash loop memory)
cat >plyfs.yaml <<YAML
layers: [low, high]
options: {header: false, limits: {time: 500ms}}
YAML
for name in "${faults[@]}" other; do
	echo "a: 1" >low/$name.yaml
	echo "b: 1" >high/$name.yaml
done
said() {
	grep -q "high/$1.yaml: $2" log
}
names_each() {
	eventually said crash 'the process that read it crashed (SIGSEGV); undo its last change' &&
		eventually said loop 'the process that read it took more than 5 s of a processor; undo its last change' &&
		eventually said memory "can't be read with 2048 MiB of memory; make it smaller" || fail "$1: $(cat log)"
}
break_all() {
	for name in "${faults[@]}"; do
		echo "b: fault-$name" | replace high/$name.yaml
	done
}

# Once.
break_all
code=0
LD_PRELOAD=$MARKED_LIBRARY "$PLYFS" render -c plyfs.yaml once >log 2>&1 || code=$?
[ $code -eq 1 ] || fail "it exits with $code: $(cat log)"
names_each "a run"
shows once/other.yaml $'a: 1\nb: 1'
[ ! -e once/crash.yaml ] || fail "the file is there: $(cat once/crash.yaml)"

# And with --watch.
for name in "${faults[@]}"; do
	echo "b: 1" | replace high/$name.yaml
done
LD_PRELOAD=$MARKED_LIBRARY "$PLYFS" render --watch -c plyfs.yaml out 2>log &
plyfs_pid=$!
comes_to_show out/crash.yaml $'a: 1\nb: 1'
eventually [ -e out/.plyfs/status ] || fail "it does not begin"
break_all
for i in 2 3 4; do
	echo "b: $i" | replace high/other.yaml
	comes_to_show out/other.yaml $'a: 1\nb: '$i
done
names_each "a change"
for name in "${faults[@]}"; do
	shows out/$name.yaml $'a: 1\nb: 1'
	echo "b: 2" | replace high/$name.yaml
	comes_to_show out/$name.yaml $'a: 1\nb: 2'
done
kill "$plyfs_pid"
ended_cleanly
