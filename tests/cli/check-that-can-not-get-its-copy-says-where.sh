#!/bin/bash
# A container may have a /tmp that can't be written, or none. A check gets its copy there, or root's in /run.
. "$(dirname "$0")/cli.sh"

need unshare
[ "$(id -u)" -eq 0 ] && unshare --mount mount --bind "$PWD" /mnt 2>/dev/null || skip 'there can be no private mounts here'
cp -L "$PLYFS" plyfs
mkdir low empty
echo 'a: 1' >low/app.yaml
printf 'layers: [low]\nrules: [{match: app.yaml, check: ["true", "%%f"]}]\n' >plyfs.yaml
reason="app.yaml: the check 'true' can't be run: making its directory in /tmp"
remedy='give plyfs a /tmp that it can write to, as a tmpfs'

# in_container OPTION...: where /run and /tmp are mounted with these options.
in_container() {
	unshare --mount sh -c '
		mount --bind "$PWD" /mnt && cd /mnt && mount "$@" /run && mount "$@" /tmp || exit 99
		exec ./plyfs check -c plyfs.yaml' sh "$@"
}
runs 1 in_container -t tmpfs -o ro tmpfs
grep -qx "plyfs: $reason: Read-only file system; $remedy" err || fail "it says: $(cat err)"
runs 1 in_container -t tmpfs -o nr_inodes=1 tmpfs
grep -qx "plyfs: $reason: No space left on device; $remedy" err || fail "it says: $(cat err)"
runs 0 in_container -t tmpfs tmpfs
