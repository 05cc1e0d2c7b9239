#!/bin/bash
. "$(dirname "$0")/../cli/cli.sh"

need mandoc
pages=("$BUILD"/docs/*.[157])
[ -e "${pages[0]}" ] || skip 'the pages are not built'
# scdoc puts an empty paragraph behind each heading and before each indentation.
mandoc -T lint -W warning "${pages[@]}" | grep -v 'skipping paragraph macro' >out || true
[ ! -s out ] || fail "$(cat out)"
# Columns that are made of tabs are ragged.
for page in "${pages[@]}"; do
	mandoc -T utf8 -O width=100 "$page" >text
	! grep -nP '\t' text || fail "$page has tabs"
done
