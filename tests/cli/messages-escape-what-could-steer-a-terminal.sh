#!/bin/bash
. "$(dirname "$0")/cli.sh"
need_mounting

odd=$'x\e[31m\n\xff.yaml'
shown='x\x1B[31m\x0A\xFF.yaml'
clean() {
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat -v err)"
	! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' err || fail "it is not clean: $(cat -v err)"
	says "$shown"
}

runs 1 "$PLYFS" merge "$odd"
clean
echo '[' >"$odd"
echo 'a: 1' >low.yaml
mkdir layer
runs 1 "$PLYFS" merge "$odd" low.yaml
clean
runs 1 "$PLYFS" cat -l layer "$odd"
clean
runs 2 "$PLYFS" cat "$odd"
clean
runs 1 "$PLYFS" mount "$odd:$odd" layer
clean
runs 1 "$PLYFS" mount layer "$odd/nowhere"
clean
runs 1 "$PLYFS" status "$odd/nowhere"
clean
runs 2 "$PLYFS" merge -s "$odd" low.yaml
clean

# The line of the source below a message can't, either.
printf 'a: 1\nb: "\e[31m \xe2\x80\xae" ]\n' >bad.yaml
runs 1 "$PLYFS" merge low.yaml bad.yaml
! grep -qP '\e|\xe2\x80\xae' err || fail "it is not clean: $(cat -v err)"

# Nor can what plyfs set reports, with the file that it overrides.
mkdir vendor site
echo 'x: 1' >vendor/"$odd"
runs 0 "$PLYFS" set -l vendor:site "$odd" x 2
grep -qF "(overrides vendor/$shown:1)" out || fail "it prints: $(cat -v out)"
[ "$(wc -l <out)" -eq 1 ] || fail "not one line: $(cat -v out)"

# The line of the source is shown below the message, although the name in that is not the source's.
echo 'x: [1' >layer/"$odd"
runs 1 "$PLYFS" check -l layer
grep -qF "$shown:1:4: " err || fail "it says: $(cat -v err)"
grep -qxF '    x: [1' err || fail "the line is missing: $(cat -v err)"
# Nothing is shown if there are two files that it may be.
echo 'x: 1' >layer/"$shown"
runs 1 "$PLYFS" check -l layer
! grep -qF '    x: ' err || fail "a line is shown: $(cat -v err)"

# Nor can the source that a schema's error names.
echo 'type: string' >text.yaml
mkdir text
echo 'x: 1' >text/"$odd"
for strategy in concat lines first; do
	printf 'layers: [text]\nrules: [{match: "*", strategy: %s, schema: text.yaml}]\n' $strategy >text-plyfs.yaml
	runs 1 "$PLYFS" cat -c text-plyfs.yaml "$odd"
	grep -qF "$shown:1:1: must be a string" err || fail "it says: $(cat -v err)"
	! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' err || fail "it is not clean: $(cat -v err)"
done

# Nor can the name of the result.
runs 1 "$PLYFS" merge --limit result=4 --to json low.yaml text/"$odd"
clean
