#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
echo 'a: 1' | tee low/app.yaml high/app.yaml >/dev/null
start
cat mnt/app.yaml >/dev/null
"$PLYFS" status --json mnt | python3 -c 'import json, sys; json.load(sys.stdin)'
[ "$(status layers 0 name)" = low ]
[ "$(status layers 1 name)" = high ]
[ "$(status directory)" = "$directory" ]
[ "$(status troubles)" = '[]' ]
[ "$(status versions count)" -ge 1 ]
[ "$(status watches count)" -ge 2 ]
[ "$(status requests total)" -gt 0 ]
"$PLYFS" status mnt >text
grep -q '^.*/mnt: plyfs [0-9]' text
grep -q "high  *$directory/high\|high  *high" text
grep -q 'troubles  *0$' text

# Not listed, but there.
lists mnt app.yaml
fails_with 'not in a plyfs mount' "$PLYFS" status low
code=0
"$PLYFS" status nowhere 2>/dev/null || code=$?
[ $code -eq 1 ]
