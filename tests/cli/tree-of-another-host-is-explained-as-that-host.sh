#!/bin/bash
# A tree that was rendered for another host, or with another fact, is explained with that host's layers and rules.
. "$(dirname "$0")/cli.sh"

mkdir -p vendor hosts/web1
printf 'port: 80\nhosts: [a]\n' >vendor/app.yaml
printf 'port: 8080\nhosts: [b]\n' >hosts/web1/app.yaml
cat >plyfs.yaml <<'END_'
layers: [vendor, {path: "hosts/%H", optional: true}]
facts: facts.yaml
rules:
  - {match: 'app.%{kind}', options: {lists: append}}
options: {header: false}
END_
echo 'kind: none' >facts.yaml

runs 0 "$PLYFS" render -q -c plyfs.yaml -H web1 --fact kind=yaml tree
[ "$(cat tree/app.yaml)" = $'port: 8080\nhosts: [a, b]' ]
runs 0 "$PLYFS" explain tree/app.yaml port
grep -q '^port: 8080 .*hosts/web1/app.yaml:1:7' out
runs 0 "$PLYFS" get tree/app.yaml 'hosts[0]'
prints a
runs 0 "$PLYFS" explain tree/app.yaml 'hosts[0]'
grep -q 'vendor/app.yaml:2:9' out
runs 0 "$PLYFS" status tree
grep -qE '^ *as +host web1, fact kind=yaml$' out
runs 0 "$PLYFS" status --json tree
grep -q '"host": "web1", "facts": \["kind=yaml"\]' out

# An option overrules what the tree was rendered for.
runs 0 "$PLYFS" get -H web2 tree/app.yaml port
prints 80
runs 0 "$PLYFS" get --fact kind=none tree/app.yaml 'hosts[0]'
prints b
runs 0 "$PLYFS" get --fact knid=none tree/app.yaml 'hosts[0]'
prints a
says "no layer or rule uses the fact 'knid' of --fact; did you mean 'kind'?"

# Negative twin: a tree of this host has no such line.
runs 0 "$PLYFS" render -q -c plyfs.yaml own
runs 0 "$PLYFS" status own
! grep -qE '^ *as ' out
