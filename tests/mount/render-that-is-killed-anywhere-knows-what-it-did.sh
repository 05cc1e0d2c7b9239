#!/bin/bash
# Killed before any change of the disk, and started again, `plyfs render --drift=keep` ends right, and takes nothing that it
# did itself for what somebody has done. KILLED_STEP=1 tries each change, and not only some.
. "$(dirname "$0")/mount.sh"

need python3
killed=$(dirname "$test_file")/killed.py
# What is preloaded comes before the sanitizer, which would have it otherwise.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
python3 "$killed" "$PLYFS" "$DYING_LIBRARY" "${KILLED_STEP:-31}"
