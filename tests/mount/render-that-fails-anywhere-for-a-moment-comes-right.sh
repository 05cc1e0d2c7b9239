#!/bin/bash
# Where any one change of the disk fails, `plyfs render --drift=keep` loses nothing, mends it when it runs again, or by
# itself with --watch, and takes nothing of it for what somebody has done. FAILED_STEP=1 tries each change, and not only some.
. "$(dirname "$0")/mount.sh"

need python3
failing=$(dirname "$test_file")/failing.py
# What is preloaded comes before the sanitizer, which would have it otherwise.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
python3 "$failing" "$PLYFS" "$DYING_LIBRARY" "${FAILED_STEP:-149}"
