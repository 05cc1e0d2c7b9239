#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
mkfifo low/pipe
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("high/socket")'
echo text >low/file
if [ "$(id -u)" -eq 0 ]; then
	mknod low/device c 1 3 2>/dev/null || true
fi
start
lists mnt file
for name in pipe socket device; do
	[ ! -e mnt/$name ] || fail "$name is there"
done
