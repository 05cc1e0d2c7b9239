#!/bin/bash
# The Markdown pages have the text of the manuals that man(1) shows. BUILD has the manuals.
set -euo pipefail
skip() {
	echo "skipped: $*"
	exit 77
}
[ -e "$BUILD/docs/plyfs-merge.7" ] || skip "the manuals were not built"
# Another release of pandoc renders the same text differently.
[[ $(pandoc --version 2>/dev/null) == "pandoc 2.17"* ]] || skip "there is no pandoc 2.17, Debian 12's"
exec "$(dirname "$0")/../../scripts/manuals" --check "$BUILD"
