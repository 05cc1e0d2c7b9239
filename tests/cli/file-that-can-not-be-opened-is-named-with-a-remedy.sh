#!/bin/bash
. "$(dirname "$0")/cli.sh"
# A file that can't be opened or read is named with the cause and with what to do, not in the words of strerror(3) alone.

mkdir layer
echo 'a: 1' >layer/app.yaml
ln -s loop loop
refused() { # CAUSE COMMAND...
	local cause=$1
	shift
	runs 1 "$PLYFS" "$@"
	grep -qF "$cause" err || fail "$*: $(cat err)"
	! grep -E 'No such file|Not a directory|Is a directory|Permission denied|Too many levels' err || fail "$*: $(cat err)"
}
absent='there is no such file or directory; check its path'
refused "none.yaml: can't be opened: $absent" check -c none.yaml
refused "none.yaml: can't be opened: $absent" cat -c none.yaml app.yaml
refused "none.yaml: can't be opened: $absent" merge none.yaml
refused "none.json: can't be opened: $absent" merge --schema none.json layer/app.yaml
refused "none/tree: $absent" render -l layer none/tree
refused "a file is in the place of a directory; check its path" check -c layer/app.yaml/plyfs.yaml
refused "a file is in the place of a directory; check its path" merge layer/app.yaml/x
refused "its path has links that lead in a circle; mend them" check -c loop
refused "its path has links that lead in a circle; mend them" merge loop
refused "it is a directory; give a file" merge layer
if [ "$(id -u)" -ne 0 ]; then
	echo 'layers: [layer]' >closed.yaml
	chmod 0 closed.yaml
	refused "permission denied; allow it to the user who runs plyfs" check -c closed.yaml
	refused "permission denied; allow it to the user who runs plyfs" merge closed.yaml
fi
