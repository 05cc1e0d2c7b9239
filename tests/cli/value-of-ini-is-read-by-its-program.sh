#!/bin/bash
. "$(dirname "$0")/cli.sh"

# The VALUE of `set` in a dialect of INI: the program reads that text, or the change is refused.
need php
need git
mkdir v s
printf 'layers: [v, s]\nrules: [{match: php.ini, format: php}, {match: gitconfig, format: git}]\noptions: {header: false}\n' >plyfs.yaml
printf '[PHP]\np = old\n' >v/php.ini
printf '[core]\n\tp = old\n' >v/gitconfig

php_reads() { # the value of p, and whether the line behind it is read
	php -n -r '$a = parse_ini_file($argv[1]); if ($a["q"] !== "1") exit(1); echo $a["p"];' s/php.ini
}

for value in 'tcp://h:1?auth=x&db=2' 'a|b' 'a&b' '&amp' '~' '^a' '!x' '(a)' 'a(b)' 'a ~ b' '|' '=' '{a}' '[a]' '*/5 x' 'a.b,c' 'a;b'; do
	rm -f s/php.ini
	runs 0 "$PLYFS" set -c plyfs.yaml php.ini "p=$value" q=1
	[ "$(php_reads)" = "$value" ] || fail "php reads '$value' as '$(php_reads)': $(cat s/php.ini)"
done
# An expression of constants, a word, and what stands in quotes keep their meaning.
for value in 'E_ALL & ~E_NOTICE' 'E_ALL^E_STRICT' 'On' '1|2' '"x"' '-1'; do
	rm -f s/php.ini
	runs 0 "$PLYFS" set -c plyfs.yaml php.ini "p=$value" q=1
	grep -qxF "p = $value" s/php.ini || fail "$value became: $(cat s/php.ini)"
done

for value in 'C:\dir' '"\q"' '\s'; do
	rm -f s/gitconfig
	runs 1 "$PLYFS" set -c plyfs.yaml gitconfig core.p "$value"
	grep -q "a value in a file of git's can't hold a backslash with no meaning; " err
	[ ! -e s/gitconfig ] || fail "the change was made"
done
for value in 'C:\\dir' '"a\tb"' 'a\"b'; do
	runs 0 "$PLYFS" set -c plyfs.yaml gitconfig core.p "$value"
	git config -f s/gitconfig core.p >out || fail "git can't read $value"
done
