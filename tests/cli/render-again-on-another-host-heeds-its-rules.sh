#!/bin/bash
# A rule may have the host's name: with another name of the host, a file is made again.
. "$(dirname "$0")/cli.sh"

unshare --uts true 2>/dev/null || skip "the host's name can't be changed here"
mkdir low high
printf 'a: 1\n' >low/app.yaml
printf 'b: 2\n' >high/app.yaml
printf 'layers: [low, high]\nrules: [{match: "%%l.yaml", strategy: last}]\noptions: {header: false}\n' >plyfs.yaml
on() { unshare --uts bash -c 'hostname "$0"; exec "$@"' "$1" "$PLYFS" render -q -c plyfs.yaml tree; }
shown() { [ "$(cat tree/app.yaml)" = "$1" ] || fail "it has: $(cat tree/app.yaml)"; }
on web
shown $'a: 1\nb: 2'
sleep 3
on web
shown $'a: 1\nb: 2'
on app
shown 'b: 2'
on web
shown $'a: 1\nb: 2'
