#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A daemon that is not root finds nothing in a directory that is closed to it, whatever events the directory makes.
need setpriv
need_root
mkdir -p low/d/sub low/d/gone high/d
echo 'x: 1' | tee low/d/x.yaml low/d/removed.yaml >low/d/sub/k.yaml
echo 'y: 1' >high/d/x.yaml
mkdir -m 700 low/closed
chown -R 1000 low
setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all \
	"$PLYFS" mount -f -o noheader low:high mnt >>log 2>&1 &
plyfs_pid=$!
eventually is_ready mnt || fail "the mount was not ready in time"
shows mnt/d/x.yaml $'x: 1\ny: 1'
lists mnt/d gone removed.yaml sub x.yaml
shows mnt/d/sub/k.yaml 'x: 1'

# The status says what is refused: not the mountpoint.
ls mnt/closed >/dev/null 2>&1 || true
is_told() { [[ $(status watches error 2>/dev/null) == "a directory can't be watched, and is polled: permission denied; "* ]]; }
eventually is_told || fail "the status says: $(status watches)"
rmdir low/closed
eventually test ! -e mnt/closed || fail "it stays"

chmod 700 low/d
rm low/d/removed.yaml
rmdir low/d/gone
mkdir low/d/new
echo 'x: 2' >low/d/x.yaml
echo 'n: 1' | tee low/d/new.yaml >low/d/sub/new.yaml
eventually test -e mnt/d/new.yaml || fail "what can't be read is not told"
fails_with 'Input/output error' cat mnt/d/new.yaml
chmod 755 low/d
comes_to_list mnt/d new new.yaml sub x.yaml
eventually test -d mnt/d/new || fail "a directory is shown as $(stat -c %F mnt/d/new)"
comes_to_show mnt/d/x.yaml $'x: 2\ny: 1'
comes_to_show mnt/d/new.yaml 'n: 1'
comes_to_show mnt/d/sub/new.yaml 'n: 1'
eventually test ! -s mnt/.plyfs/errors || fail "an error stays: $(cat mnt/.plyfs/errors)"
stop
