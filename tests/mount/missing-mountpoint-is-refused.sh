#!/bin/bash
. "$(dirname "$0")/mount.sh"

touch plain
for mode in -f ''; do
	fails_with 'nowhere' "$PLYFS" mount $mode low:high nowhere
	fails_with 'plain' "$PLYFS" mount $mode low:high plain
done
[ ! -e nowhere ] || fail "it was made"
