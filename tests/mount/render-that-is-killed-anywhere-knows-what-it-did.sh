#!/bin/bash
# If `plyfs render --drift=keep` is killed before any change of the disk, and started again, it ends right, and takes
# none of its own work for drift. KILLED_STEP=1 tries each change, and not only some.
. "$(dirname "$0")/mount.sh"

need python3
killed=$(dirname "$test_file")/killed.py
# A preloaded library comes before the sanitizer, which refuses that by default.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
python3 "$killed" "$PLYFS" "$DYING_LIBRARY" "${KILLED_STEP:-31}"
