#!/bin/bash
. "$(dirname "$0")/cli.sh"
# If a layer is removed, or replaced again and again, while a command changes a file, one message says so, and the
# layer is not written to. The check of plyfs.yaml plays the process that does it.

mkdir low
printf 'a: 1\n' >low/app.yaml
use_check() {
	printf '#!/bin/sh\ncd %s\n%s\n' "$PWD" "$1" >replace
	chmod +x replace
	rm -rf high high.old*
	mkdir high
	printf 'a: 2\nb: 2\n' >high/app.yaml
}
cat >plyfs.yaml <<END
layers: [low, high]
rules:
- match: app.yaml
  check: {run: [$PWD/replace, '%f'], user: $(id -un)}
END

for change in 'set app.yaml a 3' 'unset app.yaml b' 'reset app.yaml a'; do
	read -ra words <<<"$change"

	use_check 'mv high high.old'
	runs 1 "$PLYFS" "${words[0]}" --json -c plyfs.yaml "${words[@]:1}"
	prints ''
	[ "$(wc -l <err)" -eq 1 ] || fail "not one message: $(cat err)"
	grep -q "the layer directory 'high' does not exist" err || fail "it says: $(cat err)"
	[ "$(cat high.old/app.yaml)" = $'a: 2\nb: 2' ] || fail "it is: $(cat high.old/app.yaml)"

	use_check 'cp -a high next && mv high high.old.$$ && mv next high'
	runs 1 "$PLYFS" "${words[0]}" -c plyfs.yaml "${words[@]:1}"
	says 'app.yaml: keeps changing, as its layers are replaced, while plyfs tries to change it; try again'
	[ "$(cat high/app.yaml)" = $'a: 2\nb: 2' ] || fail "it is: $(cat high/app.yaml)"

	# Replaced once, the layer is opened again.
	use_check '[ -e high.old ] || { cp -a high next && mv high high.old && mv next high; }'
	runs 0 "$PLYFS" "${words[0]}" -c plyfs.yaml "${words[@]:1}"
	[ "$(cat high.old/app.yaml)" = $'a: 2\nb: 2' ] || fail "it is: $(cat high.old/app.yaml)"
	[ "$(cat high/app.yaml)" != $'a: 2\nb: 2' ] || fail "$change has changed nothing"
done
