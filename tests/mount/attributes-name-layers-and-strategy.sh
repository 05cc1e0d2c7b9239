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
stop

# Another rule that gives the same bytes makes no version, but the attribute names the new rule's strategy.
configure() { printf 'layers: [low, high]\nrules: [{match: motd, strategy: %s}]\n' "$1" | replace plyfs.yaml; }
configure first
start -c plyfs.yaml mnt
[ "$(attribute mnt/motd user.plyfs.strategy)" = first ]
inode=$(stat -c %i mnt/motd)
configure last
has_strategy() { [ "$(attribute mnt/motd user.plyfs.strategy)" = "$1" ]; }
eventually has_strategy last || fail "the strategy is: $(attribute mnt/motd user.plyfs.strategy)"
[ "$(stat -c %i mnt/motd)" = "$inode" ] || fail "the same bytes are another version"
