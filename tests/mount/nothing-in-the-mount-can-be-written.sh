#!/bin/bash
. "$(dirname "$0")/mount.sh"

need setfattr
mkdir low/dir
echo text >low/motd
echo 'a: 1' >low/app.yaml
start
shows mnt/motd text

refused() {
	if "$@" 2>/dev/null; then
		fail "'$*' succeeds"
	fi
	fails_with 'Read-only file system' "$@"
}
refused touch mnt/new
refused touch mnt/motd
refused mkdir mnt/new
refused rm -f mnt/motd
refused rmdir mnt/dir
refused mv mnt/motd mnt/other
refused mv mnt/motd mnt/app.yaml
refused ln mnt/motd mnt/other
refused ln -s motd mnt/other
refused chmod 600 mnt/motd
refused chown 1 mnt/motd
refused truncate -s 0 mnt/motd
refused bash -c 'echo x >mnt/motd'
refused bash -c 'echo x >>mnt/motd'
refused mkfifo mnt/pipe
refused setfattr -n user.x -v y mnt/motd
refused cp low/motd mnt/.plyfs/new-1
lists mnt app.yaml dir motd
shows mnt/motd text
