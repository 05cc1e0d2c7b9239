#!/bin/bash
. "$(dirname "$0")/mount.sh"
# Random changes of every kind in three layers under readers; tests/chaos/chaos.py describes the checks. Its first line
# names the seed. CHAOS has its arguments: CHAOS='--seed 7', or CHAOS='--hours 2' to soak it.

need python3
need_root # marks that are devices
/usr/bin/env python3 -c 'import tomllib, yaml' 2>/dev/null || skip "python3-yaml or Python 3.11 is missing"
rmdir low high mnt
chaos=$(dirname "$test_file")/../chaos/chaos.py
# shellcheck disable=SC2086 # several words
python3 "$chaos" --seconds "${CHAOS_SECONDS:-60}" ${CHAOS:-} "$PLYFS" || fail "see above"
