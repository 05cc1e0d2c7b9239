#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A changed file and its new directory of drop-ins come together: whichever plyfs examines first, both are rendered.
mkdir low high
cat >plyfs.yaml <<'END'
options: {coherence: strict}
layers: [low, high]
rules: [{match: '**/b.yaml', dropins: true}]
END
for ((i = 1; i <= 20; i++)); do
	mkdir -p "low/$i" "new/$i/b.yaml.d"
	printf 'x: 1\n' >"low/$i/b.yaml"
	printf 'x: 2\n' >"new/$i/b.yaml"
	printf 'a: 1\n' >"new/$i/b.yaml.d/10-x.yaml"
done
"$PLYFS" render --watch --no-header -c plyfs.yaml tree >log 2>&1 &
watcher=$!
trap 'kill $watcher && wait $watcher || true; rm -rf "$directory" "$TMPDIR"' EXIT
eventually() {
	for ((n = 0; n < 600; n++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
is_new() {
	for ((i = 1; i <= 20; i++)); do
		cmp -s "tree/$i/b.yaml.d/10-x.yaml" "new-10-x.yaml" && [ "$(cat "tree/$i/b.yaml")" = $'x: 2\na: 1' ] || return
	done
}
printf 'a: 1\n' >new-10-x.yaml
eventually test -e tree/20/b.yaml || fail "nothing is rendered: $(cat log)"
for ((i = 1; i <= 20; i++)); do
	mv "new/$i/b.yaml" "new/$i/b.yaml.d" "low/$i"
	sleep 0.02
done
eventually is_new || fail "missing: $(ls -d tree/*/b.yaml.d | wc -l) of 20 directories are there; $(cat log)"
