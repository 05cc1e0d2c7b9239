#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A source beyond a limit is refused with the remedy, and the remedy works.
{
	echo 'text: |'
	awk 'BEGIN { for (i = 0; i < 280000; i++) print "  0123456789012345678901234567890123456789012345678901234567890" }'
} >large.yaml
[ "$(stat -c %s large.yaml)" -gt $((16 << 20)) ]
runs 1 "$PLYFS" merge large.yaml
says "large.yaml: is larger than the limit of 16777216 bytes; raise it with '--limit source=64M'"
echo 'more: 1' >more.yaml
runs 0 "$PLYFS" merge --limit source=64M large.yaml more.yaml
[ "$(tail -n 1 out)" = 'more: 1' ]
[ "$(stat -c %s out)" -eq "$(($(stat -c %s large.yaml) + 8))" ]

# The other limits, and several of them.
echo 'a: [[1]]' >deep.yaml
runs 1 "$PLYFS" merge --limit depth=2 --limit nodes=100 deep.yaml more.yaml
grep -q "raise the limit 'depth'" err
runs 1 "$PLYFS" merge --limit result=4 deep.yaml more.yaml
grep -q "limit 'result'" err
runs 1 "$PLYFS" merge --limit nodes=3 deep.yaml more.yaml
grep -q "limit 'nodes'" err

runs 2 "$PLYFS" merge --limit source deep.yaml
says "--limit: 'source' is not NAME=VALUE"
runs 2 "$PLYFS" merge --limit sauce=1 deep.yaml
grep -q "did you mean 'source'" err
runs 2 "$PLYFS" merge --limit source=2G deep.yaml
grep -q -- '--limit source' err
