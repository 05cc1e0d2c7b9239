#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr
echo 'a: 1' | tee low/both.yaml high/both.yaml low/low.yaml >/dev/null
echo text | tee low/motd high/motd >/dev/null
mkdir low/dir
start

[ "$(attribute mnt/both.yaml user.plyfs.layers)" = low:high ]
[ "$(attribute mnt/low.yaml user.plyfs.layers)" = low ]
[ "$(attribute mnt/motd user.plyfs.layers)" = high ]
[ "$(attribute mnt/both.yaml user.plyfs.strategy)" = deep ]
[ "$(attribute mnt/motd user.plyfs.strategy)" = last ]
if attribute mnt/both.yaml user.plyfs.error; then
	fail "a good file has an error"
fi
if attribute mnt/both.yaml user.other; then
	fail "there is an attribute that nobody set"
fi
names=$(getfattr --absolute-names -m - mnt/both.yaml | grep -v '^#' | sort | xargs)
[ "$names" = "user.plyfs.layers user.plyfs.sources user.plyfs.strategy" ] || fail "the attributes are: $names"
fails_with 'Read-only' setfattr -n user.plyfs.layers -v x mnt/both.yaml
