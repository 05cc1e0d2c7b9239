#!/bin/bash
# Makes docs/blame.png, the picture in the README, anew: the page of the example's app.yaml, with a
# line pointed at. Needs chromium and python3. PLYFS is the command: build/cli/plyfs, if it isn't set.
set -euo pipefail
cd "$(dirname "$0")/.."
plyfs=$(realpath "${PLYFS:-build/cli/plyfs}")

page=$(mktemp --suffix=.html)
trap 'rm -f "$page"' EXIT
# From the layers' directory, so that names are short.
(cd examples && "$plyfs" blame -l vendor:site:host --html "$page" app.yaml)
python3 tests/cli/browser.py picture "$page" docs/blame.png 1000 630 light 'li:nth-child(4) > code'
