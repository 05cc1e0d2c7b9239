#!/bin/bash
. "$(dirname "$0")/cli.sh"
tests=$(cd "$(dirname "$0")" && pwd)

need "${CHROMIUM:=chromium}" python3
export CHROMIUM

mkdir low mid high
long=$(head -c 300 /dev/zero | tr '\0' x)
printf 'a: 1\nb: {c: old, long: %s}\ngone: <b>\nlast: 3\n' "$long" >low/app.yaml
printf 'a: 2\ngone: !delete\n' >mid/app.yaml
printf 'a: 3\nb: {c: "</p><i>new"}\n' >high/app.yaml
cat >plyfs.yaml <<-'end'
	layers: [low, mid, high]
	options: {header: false}
end
runs 0 "$PLYFS" blame -c plyfs.yaml --html page.html app.yaml
runs 0 timeout 120 python3 "$tests/browser.py" check page.html

# fact NAME VALUE: the browser reports it.
fact() {
	grep -qxF -- "$1 $2" out || fail "$1 is not '$2': $(grep "^$1" out || cat out)"
}

a='[a 3 high · high/app.yaml:1:4 2 mid · mid/app.yaml:1:4 the later value replaces 1 low · low/app.yaml:1:4 the later value replaces]'
for width in 360 1400; do
	for scheme in light dark; do
		fact overflow-$width-$scheme 0
	done
	fact shown-$width '[]'
	fact pointed-at-$width "$a"
	fact focused-$width "more $a"
	fact bright-$width 011
	# The browser asks for the page and nothing else.
	fact requests-$width file
	fact errors-$width 0
done
fact paper-light 'rgb(255, 255, 255)'
fact paper-dark 'rgb(20, 23, 27)'
fact elements 'a b body button code div footer h1 h2 h3 head header html i li main meta nav ol p s span style title ul'
fact removed '[gone removed by !delete mid · mid/app.yaml:2:7 the value is deleted <b> low · low/app.yaml:3:7]'
