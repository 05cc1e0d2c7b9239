#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

# A FUSE file system can show any owner. So its files are those of the user who mounted it. If the table of mounts does
# not name that user, nothing is known: another mount namespace has the mount, or it was unmounted while it was in use.
printf 'layers: [%s]\nrules: [{match: "*", check: [grep, a, "%%f"]}]\n' "$directory/high" >low/plyfs.yaml
echo 'a: 1' >high/app.yaml
start

refused() { # PATH [REASON]
	! "$PLYFS" check -c "$1" 2>"$directory/err" || fail "$1: its commands are run"
	grep -q ":2:.* is on a FUSE file system ${2:-that is not in the table of mounts}" "$directory/err" ||
		fail "$1: $(cat "$directory/err")"
}
"$PLYFS" check -c mnt/plyfs.yaml || fail "root's own mount is refused"
"$PLYFS" check -c "/proc/$plyfs_pid/root$directory/mnt/plyfs.yaml" || fail "the same by a magic link is refused"

# Seen from another namespace.
unshare --mount --propagation private bash -c 'umount -l mnt && : >ready && exec sleep 1000' &
other=$!
at_end "kill $other"
eventually test -e ready || fail "there is no other namespace"
export -f fail refused
export PLYFS directory plyfs_pid
nsenter --mount="/proc/$other/ns/mnt" --wd="$directory" bash -c \
	'refused "/proc/$plyfs_pid/root$directory/mnt/plyfs.yaml"' || fail "from another namespace"

# The working directory is in what was unmounted; an open file keeps the daemon serving.
nsenter --mount="/proc/$other/ns/mnt" --wd="/proc/$plyfs_pid/root$directory/mnt" bash -c 'refused plyfs.yaml' ||
	fail "by the working directory"

# The table can't be read.
unshare --mount --propagation private bash -c 'mount -t tmpfs none /proc
	refused mnt/plyfs.yaml "whose user is unknown, as /proc/self/mountinfo can.t be read"' || fail "without a table"

# The file system does not say what it is.
mkdir liar nameless
for kind in liar nameless; do
	MOUNTER=1 make_silent $kind $kind low/plyfs.yaml
	refused $kind/.plyfs/status 'of the user 1, who controls its content'
done
