# shellcheck shell=bash
# Sourced after mount.sh, by tests in whose daemon allocations fail: tests/memory/session.py steers it.
# FAILING_LIBRARY makes them fail in who has it preloaded; FAILING_STEP 1 has each one fail.

need python3
! ldd "$PLYFS" | grep -q libtsan || skip 'ThreadSanitizer has an allocator of its own'
: "${FAILING_LIBRARY:?the path of libfailing.so}"
# What is preloaded comes before the sanitizer, which would have it otherwise.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
session=$(dirname "$test_file")/../memory/session.py
truncate -s 32 failing
cat >plyfs.yaml <<'END'
layers: [low, high]
rules: [{match: u.service, strategy: deep, format: systemd, dropins: layers}]
files: [{path: all.yaml, from: ['c.d/*.yaml']}]
END
