#!/bin/bash
# If any one change of the disk fails, `plyfs render --drift=keep` loses nothing. The next run mends it, or --watch does
# by itself. Neither takes the fault for drift. FAILED_STEP=1 tries each change, and not only some.
. "$(dirname "$0")/mount.sh"

need python3
failing=$(dirname "$test_file")/failing.py
# A preloaded library comes before the sanitizer, which refuses that by default.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
python3 "$failing" "$PLYFS" "$DYING_LIBRARY" "${FAILED_STEP:-149}"
