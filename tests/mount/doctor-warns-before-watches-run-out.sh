#!/bin/bash
# plyfs doctor compares the directories of layers with the watches that a mount may have, and names the limit to raise.
. "$(dirname "$0")/mount.sh"

need python3
limit_watches

mkdir -p low/{1..19}
finds() { grep -qxF -- "$1" out || fail "no '$1' in: $(cat out)"; }
doctor() { "$PLYFS" doctor "$@" >out 2>err || true; }

# A mount may have half of the limit: 20 watches for 20 directories, and the other layer's.
echo 40 >$limit
doctor low:high
finds 'inotify: the layers have 21 directories, and a mount may have 20 watches, so changes in the others show up to 1000 ms later; sysctl fs.inotify.max_user_watches=65536'
doctor low
! grep -q watches= out || fail "$(cat out)"
printf 'layers: [low, high]\noptions: {watches: 16, poll_interval: 2s}\n' >plyfs.yaml
doctor plyfs.yaml
finds "inotify: the layers have 21 directories, and a mount may have 16 watches, so changes in the others show up to 2000 ms later; raise 'watches' in plyfs.yaml"
sed -i 's/16/32/' plyfs.yaml
doctor plyfs.yaml
! grep -q "'watches'" out || fail "$(cat out)"

# A running mount that is out of watches.
for i in {1..19}; do echo 'a: 1' >low/$i/app.yaml; done
start
cat mnt/*/app.yaml >/dev/null
is_short() { doctor && grep -q "^$PWD/mnt: the mount has as many inotify watches as it may have: .*; raise that" out; }
eventually is_short || fail "$(cat out)"
! grep -q 'not every directory can be watched' out || fail "it is reported twice: $(cat out)"
echo 1000 >$limit
is_well() { doctor && ! grep -q "^$PWD/mnt: the mount" out; }
eventually is_well || fail "$(cat out)"
stop

# No inotify instance is left.
doctor
! grep -q '^inotify' out || fail "$(cat out)"
echo 1 >/proc/sys/user/max_inotify_instances
doctor
finds "inotify: this user can't have 2 more instances, so nothing can be mounted; sysctl fs.inotify.max_user_instances=1024"
