#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/many high/many
(cd low/many && seq -f 'name-%05g' 1 2 4000 | xargs touch)
(cd high/many && seq -f 'name-%05g' 0 3 4000 | xargs touch)
start

(ls low/many && ls high/many) | sort -u >wanted
for round in 1 2 3; do
	ls mnt/many >seen
	cmp wanted seen || fail "round $round lists other names"
done
