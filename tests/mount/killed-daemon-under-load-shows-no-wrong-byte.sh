#!/bin/bash
. "$(dirname "$0")/mount.sh"
# Layers are changed at random and read. Meanwhile the daemon is killed and started again, and its mount is taken away
# by `umount -l` and made anew. Readers get errors, but never a wrong byte. Open files stay. In the end all is as in a
# fresh mount. tests/chaos/chaos.py describes the checks; CHAOS has more of its arguments.

need python3
need_root
/usr/bin/env python3 -c 'import tomllib, yaml' 2>/dev/null || skip "python3-yaml or Python 3.11 is missing"
rmdir low high mnt
# shellcheck disable=SC2086 # several words
python3 "$(dirname "$test_file")/../chaos/chaos.py" --kill --seconds "${CHAOS_SECONDS:-25}" ${CHAOS:-} "$PLYFS" || fail "see above"
