# shellcheck shell=bash
# For tests in which $MARKED_LIBRARY, a libyaml with faults (marked.c), is preloaded; sourced behind mount.sh.

# A preloaded library comes before the sanitizer, which refuses that by default, as it does a lack of memory.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:allocator_may_return_null=1
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}allocator_may_return_null=1
