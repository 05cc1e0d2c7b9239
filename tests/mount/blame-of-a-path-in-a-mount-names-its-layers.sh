#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/d
echo 'a: 1' >low/d/app.yaml
mkdir high/d
printf '# comment\na: 2\nb: 3\n' >high/d/app.yaml
start
# The text is what the mount shows.
"$PLYFS" blame mnt/d/app.yaml >out
[ "$(sed 's/^[^)]*) //' out)" = "$(cat mnt/d/app.yaml)" ] || fail "another text: $(cat out)"
grep -q '^high  d/app.yaml:2  *1) a: 2$' out || fail "not from there: $(cat out)"
(cd mnt/d && "$PLYFS" blame app.yaml) >inside
diff out inside || fail 'from inside, another answer'

# A change of a layer shows in blame at once.
printf 'a: 1\nc: 4\n' >low/d/app.yaml
"$PLYFS" blame mnt/d/app.yaml >out
grep -q '^low   d/app.yaml:2  *2) c: 4$' out || fail "the change is not told: $(cat out)"
