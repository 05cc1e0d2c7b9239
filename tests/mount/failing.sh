# shellcheck shell=bash
# Sourced after mount.sh, by tests in whose daemon allocations fail: tests/memory/session.py controls it.
# FAILING_LIBRARY is preloaded and makes them fail; with FAILING_STEP 1 each one fails once.

need python3
: "${FAILING_LIBRARY:?the path of libfailing.so}"
# A preloaded library comes before the sanitizer, which refuses that by default.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
session=$(dirname "$test_file")/../memory/session.py
truncate -s 32 failing
cat >plyfs.yaml <<'END'
layers: [low, high]
rules: [{match: u.service, strategy: deep, format: systemd, dropins: layers}]
files: [{path: all.yaml, from: ['c.d/*.yaml']}]
END
