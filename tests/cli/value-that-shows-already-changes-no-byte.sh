#!/bin/bash
. "$(dirname "$0")/cli.sh"

# What 'get' prints can be set again: the value stays as it is written, also if the same text could mean another value.
mkdir v
stays() { # FILE KEY TEXT
	printf '%s\n' "$3" >v/"$1"
	cp v/"$1" before
	runs 0 "$PLYFS" get -l v "$1" "$2"
	runs 0 "$PLYFS" set -l v "$1" "$2" "$(cat out)"
	cmp v/"$1" before || fail "it becomes: $(cat v/"$1")"
	[ ! -s err ] || fail "it says: $(cat err)"
}
# shellcheck disable=SC2016
for value in '$A/x' '"$A/x"' "'\$A/x'" '"\$A/x"' '\$A' '${A:-b}' '$(id)' '"x y"' '""' ''; do
	stays a.env K "K=$value"
done
stays a.ini s.k $'[s]\nk'
stays a.yaml k 'k: !foo bar'
stays a.yaml k 'k: !!int "3"'
stays a.yaml k 'k: ~'

# A key without a value shows null, so an empty VALUE differs from it: it is an empty text.
becomes() { # BEFORE AFTER VALUE
	printf '%s\n' "$1" >v/a.yaml
	runs 0 "$PLYFS" set -l v a.yaml k "$3"
	[ "$(cat v/a.yaml)" = "$2" ] || fail "$1 becomes: $(cat v/a.yaml)"
}
for null in '' ' ~' ' null' ' !!null'; do
	becomes "k:$null" 'k: ""' ''
	becomes "k:$null" "k:$null" null
done
becomes 'k: ""' 'k: ""' ''
becomes "k: ''" "k: ''" ''

# Any other text is text, and --string makes one of what stands there; --yaml writes a variable.
# shellcheck disable=SC2016
{
	writes() { # AFTER OPTION… VALUE
		printf 'K=$A/x\n' >v/a.env
		runs 0 "$PLYFS" set -l v "${@:2:$#-2}" a.env K "${!#}"
		[ "$(cat v/a.env)" = "$1" ] || fail "it becomes: $(cat v/a.env)"
	}
	writes "K='\$A/y'" '$A/y'
	writes "K='\$A/x'" --string '$A/x'
	writes 'K=$A/y' --yaml '$A/y'
}
printf '[s]\nk\n' >v/a.ini
runs 0 "$PLYFS" set -l v --string a.ini s.k null
[ "$(tail -n 1 v/a.ini)" = 'k = null' ] || fail "it becomes: $(cat v/a.ini)"

# It also changes none beside a value that changes, where a higher layer is what shows it.
mkdir -p low high
printf 'k: 0\nx: 0\n' >low/app.yaml
printf 'k: 5\n' >high/app.yaml
runs 0 "$PLYFS" set -l low:high -L low app.yaml k=5 x=2
[ "$(cat low/app.yaml)" = $'k: 0\nx: 2' ] || fail "it becomes: $(cat low/app.yaml)"
