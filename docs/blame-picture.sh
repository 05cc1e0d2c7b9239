#!/bin/bash
# Makes docs/blame.png, the picture in the guide: the page of the example's app.yaml, with the pointer on a line. Needs
# chromium and python3. PLYFS is the command; default: build/cli/plyfs.
set -euo pipefail
cd "$(dirname "$0")/.."
plyfs=$(realpath "${PLYFS:-build/cli/plyfs}")

page=$(mktemp --suffix=.html)
trap 'rm -f "$page"' EXIT
# From the layers' directory, so that names are short.
(cd examples && "$plyfs" blame -l vendor:site:host --html "$page" app.yaml)
python3 tests/cli/browser.py picture "$page" docs/blame.png 1000 630 light 'li:nth-child(4) > code'
