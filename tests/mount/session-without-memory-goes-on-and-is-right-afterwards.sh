#!/bin/bash
# FAILING_LIBRARY makes allocations fail in who has it preloaded; FAILING_STEP 1 has each one fail.
. "$(dirname "$0")/mount.sh"

need python3
session=$(dirname "$test_file")/../memory/session.py
cat >plyfs.yaml <<'END'
layers: [low, high]
rules: [{match: u.service, strategy: deep, format: systemd, dropins: layers}]
files: [{path: all.yaml, from: ['c.d/*.yaml']}]
END
truncate -s 32 failing
# What is preloaded comes before the sanitizer, which would have it otherwise.
FAILING=$PWD/failing LD_PRELOAD=${FAILING_LIBRARY:?} \
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 start plyfs.yaml mnt
python3 "$session" failing mnt "${FAILING_STEP:-37}" "${FAILING_SECONDS:-20}"
. "$(dirname "$test_file")/fresh.sh"
comes_to_equal_fresh plyfs.yaml
stop
