#!/bin/bash
. "$(dirname "$0")/mount.sh"
# XDG_RUNTIME_DIR leads through a link to the mountpoint of an ordinary user, who then has no lock for take-overs. The
# daemon does not wait for its own mount.
need timeout
need_ordinary_user

mkdir -p real/plyfs
ln -s "$directory/real" run
chown -R -h 65534:65534 real run
echo 'a: 1' >low/app.yaml
XDG_RUNTIME_DIR=$directory/run as_user env --default-signal=INT,QUIT "$PLYFS" mount -f -o noheader low:high real/plyfs >log 2>&1 &
plyfs_pid=$!
at_end "umount -l $directory/real/plyfs 2>/dev/null"
eventually is_mounted real/plyfs || fail "it does not mount: $(cat log)"
said=$(as_user timeout 60 cat real/plyfs/app.yaml) && [ "$said" = 'a: 1' ] || fail "it does not answer: $said"
unmount real/plyfs
ended_cleanly
