#!/bin/bash
. "$(dirname "$0")/cli.sh"

[ -e /dev/full ] || skip "there is no /dev/full"
echo 'a: 1' >f.yaml
full() { "$@" >/dev/full; }
runs 1 full "$PLYFS" merge f.yaml
says 'No space left on device'
runs 1 full "$PLYFS" --help
says 'No space left on device'
runs 1 full "$PLYFS" cat -l . f.yaml
says 'No space left on device'
