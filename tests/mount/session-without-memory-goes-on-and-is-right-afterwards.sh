#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/fresh.sh"
. "$(dirname "$test_file")/failing.sh"

FAILING=$PWD/failing LD_PRELOAD=$FAILING_LIBRARY start plyfs.yaml mnt
python3 "$session" failing mnt "${FAILING_STEP:-37}" "${FAILING_SECONDS:-20}"
comes_to_equal_fresh plyfs.yaml
stop
