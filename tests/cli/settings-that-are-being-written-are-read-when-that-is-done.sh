#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A plyfs.yaml, a preset or a schema that is rewritten in place is empty for a moment, or ends in the middle. If that is
# an error, it is read again when the writing is done.
mkdir low presets
echo 'a: 1' >low/app.yaml
export PLYFS_PRESETS=$directory/presets
cat >write.py <<'PY'
import os, time
parts = {
    "plyfs.yaml": ("presets: [mine]\nrules: [{match: app.yaml,", " schema: s.json}]\nlayers: [low]\n"),
    "presets/mine.yaml": ("description: x\nrules:\n", "- {match: 'b*', check: [cat, '%f']}\n"),
    "s.json": ('{"type": "object"', ', "required": ["b"]}'),
}
while True:
    for name, (first, rest) in parts.items():
        began = time.monotonic()
        with open(name, "w") as file:
            time.sleep(0.001)
            file.write(first)
            file.flush()
            time.sleep(0.015)
            file.write(rest)
        if time.monotonic() - began > 0.04:
            open("was-late", "w")
        open("is-written-" + os.path.basename(name), "w")
        time.sleep(0.15)
PY
python3 write.py &
writing=$!
trap 'kill $writing 2>/dev/null || true; wait $writing 2>/dev/null || true; rm -rf "$directory" "$TMPDIR"' EXIT
until [ -e is-written-s.json ]; do sleep 0.02; done
# Whether the writer was late: it knows that only afterwards.
was_late() {
	for ((n = 0; n < 100; n++)); do
		[ ! -e was-late ] || return 0
		sleep 0.1
	done
	return 1
}
for ((i = 0; i < 100; i++)); do
	rm -f was-late
	! "$PLYFS" check -q -c plyfs.yaml >out 2>&1 || fail "$i: the second half of plyfs.yaml was not read"
	grep -q "^plyfs: app.yaml: .*b.* is missing\|low/app.yaml:1:1: .*'b'" out ||
		was_late || fail "$i: $(cat out)"
done

# An error that stays is reported, and soon.
kill $writing
wait $writing 2>/dev/null || true
: >plyfs.yaml
is_reported_soon() {
	start=$(date +%s%N)
	runs 1 "$PLYFS" check -c plyfs.yaml
	says "plyfs.yaml: is empty"
	took=$(($(date +%s%N) - start))
	[ $took -lt 5000000000 ]
}
is_reported_soon || is_reported_soon || is_reported_soon || is_reported_soon || fail "an empty file takes $took ns"
