#!/bin/bash
. "$(dirname "$0")/cli.sh"

cp -r "$(dirname "$(realpath "$0")")/explain/." .
escape=$'\033'

# Colours are used on a terminal, or if asked for; the words are the same.
has_colour() { grep -q "$escape" out; }
runs 0 "$PLYFS" explain -c plyfs.yaml app.yaml
! has_colour || fail "colour in a file"
runs 0 "$PLYFS" explain --color=always -c plyfs.yaml app.yaml
has_colour || fail "no colour with --color=always"
sed "s/$escape\[[0-9;]*m//g" out | diff -u whole.txt - >&2
NO_COLOR=1 runs 0 "$PLYFS" explain --color=always -c plyfs.yaml app.yaml
has_colour || fail "NO_COLOR stands above the command line"

# The content of sources and the names of files can't steer a terminal.
harmless() { ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' out err; }
printf '"k\\e[2J\\n": !t%%1Bx "v\\e]0;x\\a\\x9b\\u202e"\n? [a, "\\e"]\n: !delete\nl: |\n  a\n  b\n' >vendor/odd.yaml
printf '"k\\e[2J\\n": "w\\r"\nl: {"\\e": 1}\n' >site/odd.yaml
name=$(printf 'odd\033[31m\n.yaml')
mkdir "vendor/$name.d" "site/$name.d"
cp vendor/odd.yaml "vendor/$name.d/$name"
cp site/odd.yaml "site/$name.d/$name"
for path in odd.yaml "$name.d/$name"; do
	runs 0 "$PLYFS" explain -l vendor:site "$path"
	harmless || fail "it prints: $(cat -v out)"
	runs 1 "$PLYFS" explain -l vendor:site "$path" nothing
	harmless || fail "it says: $(cat -v err)"
done

# A value of any length, a key of any length, any depth.
need python3
python3 - <<'END'
open("vendor/deep.yaml", "w").write("a: " + "[" * 120 + "]" * 120 + "\n" + "k" * 1000 + ": " + "v" * 100000 + "\n")
open("site/deep.yaml", "w").write("a: 1\n")
END
runs 0 "$PLYFS" explain -l vendor:site deep.yaml
[ "$(wc -l <out)" -eq 7 ]

need_terminal
on_terminal() { script -qec "$PLYFS explain -c plyfs.yaml app.yaml $*" /dev/null >out; }
TERM=xterm on_terminal
has_colour || fail "no colour on a terminal"
TERM=xterm NO_COLOR=1 on_terminal
! has_colour || fail "colour in spite of NO_COLOR"
TERM=dumb on_terminal
! has_colour || fail "colour on a terminal that has none"
TERM=xterm on_terminal --color=never
! has_colour || fail "colour with --color=never"
