#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor/app.yaml.d site/app.yaml.d
printf '# vendor\na: 1 # one\n' >vendor/app.yaml
printf 'd: 1' >vendor/app.yaml.d/20.yaml
printf 'd: 0\n' >vendor/app.yaml.d/10.yaml
printf 'a: 2\r\n' >site/app.yaml
printf 'd: 3\n' >site/app.yaml.d/05.yaml
printf 'one\n' >vendor/logo
printf 'two\n' >site/logo
printf 'x\0y\n' >vendor/bytes
: >site/empty
ln -s app.yaml site/link
cat >plyfs.yaml <<'END_OF_FILE'
layers: [vendor, site]
rules: [{match: app.yaml, dropins: layers}]
END_OF_FILE
here=$(pwd -P)

# The lowest first, drop-ins in their order, the bytes unchanged, and a newline where one is missing.
runs 0 "$PLYFS" cat --sources -c plyfs.yaml app.yaml
prints "# $here/vendor/app.yaml
# vendor
a: 1 # one
# $here/vendor/app.yaml.d/10.yaml
d: 0
# $here/vendor/app.yaml.d/20.yaml
d: 1
# $here/site/app.yaml
a: 2"$'\r'"
# $here/site/app.yaml.d/05.yaml
d: 3"

# Only sources that count; a link leads to its file.
runs 0 "$PLYFS" cat --sources -l vendor:site logo link empty
prints "# $here/site/logo
two
# $here/vendor/app.yaml
# vendor
a: 1 # one
# $here/site/app.yaml
a: 2"$'\r'"
# $here/site/empty"
runs 0 "$PLYFS" cat --sources -l vendor:site bytes
printf '# %s/vendor/bytes\nx\0y\n' "$here" | cmp - out

runs 0 "$PLYFS" cat --sources --json -l vendor:site app.yaml
python3 - "$here" <<'PYTHON' || fail "it prints: $(cat out)"
import json, sys
said = json.load(open("out"))
assert said == {"path": "app.yaml", "sources": [
    {"layer": "vendor", "file": sys.argv[1] + "/vendor/app.yaml", "text": "# vendor\na: 1 # one\n"},
    {"layer": "site", "file": sys.argv[1] + "/site/app.yaml", "text": "a: 2\r\n"}]}, said
PYTHON

# A rendered tree, or a mount, has its own layers.
runs 0 "$PLYFS" render -q -c plyfs.yaml tree
runs 0 "$PLYFS" cat --sources tree/logo
prints "# $here/site/logo"$'\n'two

# A file that does not merge has sources all the same. Without --sources, nothing is different.
printf 'a: [\n' >site/app.yaml
runs 0 "$PLYFS" cat --sources -l vendor:site app.yaml
grep -qx 'a: \[' out || fail "it prints: $(cat out)"
runs 1 "$PLYFS" cat -l vendor:site app.yaml
runs 0 "$PLYFS" cat -l vendor:site logo
prints two

runs 1 "$PLYFS" cat --sources -l vendor:site nothing logo
says 'nothing: no layer has such a file'
prints "# $here/site/logo"$'\n'two
runs 1 "$PLYFS" cat --sources -l vendor:site app.yaml.d
says 'app.yaml.d: is a directory; give a file'
runs 2 "$PLYFS" cat --sources logo
says "there is no 'logo', in a mount or elsewhere"

# A source that the user may not read is named, and no other one is left out.
if [ "$(id -u)" -eq 0 ]; then
	need setpriv
	printf 'a: 2\n' >site/app.yaml
	chmod 755 .
	chmod 600 site/app.yaml
	runs 1 setpriv --reuid 1000 --regid 1000 --clear-groups "$PLYFS" cat --sources -l vendor:site app.yaml
	says "$here/site/app.yaml: can't be read: Permission denied; give the user who runs plyfs the right to read it"
	prints "# $here/vendor/app.yaml"$'\n'"$(cat vendor/app.yaml)"
fi
