#!/bin/bash
. "$(dirname "$0")/cli.sh"

cp -r "$(dirname "$(realpath "$0")")/explain/." .
misses() {
	runs 1 "$PLYFS" explain -c plyfs.yaml app.yaml "$1"
	says "$2"
	[ ! -s out ] || fail "it prints: $(cat out)"
}

misses server.prot "app.yaml: has no 'server.prot'; did you mean 'server.port'?"
misses srever.port "did you mean 'server'?"
misses port "did you mean 'server.port'?"
misses a.b "did you mean 'server.tls.\"a.b\"'?"
misses server.nothing "'server' is a map of 4 keys"
misses 'server.hosts[3]' "'server.hosts' is a list of 3 items"
misses 'users[name=nobody]' "'users' is a list of 1"
misses log.level "'log' is a scalar: info"
misses cache.old.other "has no 'cache.old.other'"
misses $'x\033\ny' "has no 'x\\x1B\\x0Ay'"

bad() {
	runs 2 "$PLYFS" explain -c plyfs.yaml app.yaml "$1"
	says "$2"
}
bad 'server[0' "has a '[' without its ']' (at character 7)"
bad 'server[' "has a '[' without its ']'"
bad '"a' 'has a quote without its end'
bad '"\q"' 'has a backslash with no meaning'
bad 'a..b' 'lacks a word'
bad '' 'lacks a word'
bad '"a"b' "lacks a '.' or '['"
bad "$(printf 'a.%.0s' {1..2000})" 'more than 1000 parts'

runs 2 "$PLYFS" explain -c plyfs.yaml
says 'a path is missing'
runs 2 "$PLYFS" explain -c plyfs.yaml -l vendor app.yaml
says 'give one'
runs 2 "$PLYFS" explain -c plyfs.yaml app.yaml x y
says "'y' is one too many"
runs 2 "$PLYFS" explain --color=sometimes -c plyfs.yaml app.yaml
says 'always, auto, never'
runs 2 "$PLYFS" explain vendor/app.yaml
says 'not in a plyfs mount'
