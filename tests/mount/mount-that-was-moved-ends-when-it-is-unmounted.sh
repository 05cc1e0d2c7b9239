#!/bin/bash
. "$(dirname "$0")/mount.sh"
# After mount --move, no mount at the old mountpoint is the daemon's own. Its end is still seen, and mounts elsewhere before
# it end nothing.

need_root
need_private
mkdir moved other
echo 'a: 1' >low/app.yaml
start
shows mnt/app.yaml 'a: 1'
mount --move mnt moved
mount -t tmpfs none other
umount other
sleep 0.5
shows moved/app.yaml 'a: 1'
umount moved
ended_cleanly
