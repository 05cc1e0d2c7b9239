#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Files of all kinds, more than the command reads ahead.
mkdir low high
python3 - <<-'EOF'
	for number in range(700):
	    kind = number % 7
	    for rank, layer in enumerate(("low", "high")):
	        with open(f"{layer}/{number:04}.yaml", "w") as stream:
	            stream.write("a: 1\n" * (1 + number % 3))
	            if kind == 3 and rank == 1:
	                stream.write("b: [\n")
	            if kind == 5:
	                stream.write("c: !apend [1]\n" * (number % 80))
EOF
runs 1 taskset -c 0 "$PLYFS" check -l low:high
mv out out1
mv err err1
for round in 1 2; do
	runs 1 "$PLYFS" check -l low:high
	cmp err1 err
	cmp out1 out
done
grep -q '^700 files: 100 do not merge, ' out
grep '^plyfs' err | cut -d: -f2 | sed 's/.*\///; s/^ //' | sort -c || fail 'not in order'

# Progress is shown only on a terminal.
! grep -q checking err
need_terminal
script -qec "'$PLYFS' check -l low:high" typed >/dev/null </dev/null || true
! grep -q Sanitizer typed
