#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A file system without modes and owners, such as a FAT, refuses chmod(2) and chown(2).
need bindfs
need_root
mkdir real
bindfs --chmod-deny --chown-deny --chgrp-deny real high || skip "bindfs can't mount here"
"$PLYFS" set -l high app.yaml a 1
shows real/app.yaml 'a: 1'
"$PLYFS" set -l high dir/sub/app.yaml a 2
shows real/dir/sub/app.yaml 'a: 2'

# An existing file keeps its mode, or the change is refused, as the mode may hide it from other users. So may a lower
# layer's mode.
chmod 600 real/app.yaml
"$PLYFS" set -l high app.yaml a 3
shows real/app.yaml 'a: 3'
echo 'b: 1' >real/open.yaml
chmod 644 real/open.yaml
fails_with 'open.yaml: can'\''t be written: Operation not permitted' "$PLYFS" set -l high open.yaml b 2
shows real/open.yaml 'b: 1'
echo 'c: 1' >low/kept.yaml
chmod 640 low/kept.yaml
"$PLYFS" set -l low:high kept.yaml c 2
[ "$(stat -c %a real/kept.yaml)" = 600 ] || fail "a secret has the mode $(stat -c %a real/kept.yaml)"
[ -z "$(find real -name '.*~')" ] || fail "something is left: $(find real -name '.*~')"
