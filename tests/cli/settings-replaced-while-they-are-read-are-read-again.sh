#!/bin/bash
. "$(dirname "$0")/cli.sh"

# If plyfs.yaml, a preset or a schema is replaced by a rename while it is read, that is no error, also if its owner
# counts, as with commands.
mkdir low presets
echo 'a: 1' >low/app.yaml
export PLYFS_PRESETS=$directory/presets
printf 'description: x\nrules: [{match: "*.yaml", check: [cat, "%%f"]}]\n' >presets/mine.yaml
echo '{"type": "object"}' >schema.json
printf 'layers: [low]\npresets: [mine]\nrules: [{match: "b*", check: [cat, "%%f"], schema: schema.json}]\n' >plyfs.yaml
cat >turn.py <<'PY'
import os, shutil, time
names = ("plyfs.yaml", "presets/mine.yaml", "schema.json")
while os.path.exists("turn.py"):
    for name in names:
        shutil.copy(name, "new")
        os.rename("new", name)
        # Without this, a build with sanitizers finds no moment at all between two changes.
        time.sleep(0.001)
PY
python3 turn.py &
turning=$!
trap 'rm -f turn.py; wait $turning; rm -rf "$directory" "$TMPDIR"' EXIT
for ((i = 0; i < 150; i++)); do
	"$PLYFS" check -q -c plyfs.yaml >out 2>&1 || fail "$i: $(cat out)"
done
kill -0 $turning || fail "nothing was replaced any more"

# The new file counts, not the old one.
rm turn.py
wait $turning
cp plyfs.yaml new
chmod 666 new
mv new plyfs.yaml
! "$PLYFS" check -q -c plyfs.yaml >out 2>&1 || fail "anybody may write it"
grep -q 'has the mode 0666: chmod go-w it' out || fail "it says: $(cat out)"
