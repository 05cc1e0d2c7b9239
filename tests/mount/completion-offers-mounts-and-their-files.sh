#!/bin/bash
. "$(dirname "$0")/mount.sh"

. "$(dirname "$0")/../../data/completion/plyfs.bash"
mkdir 'with space'
echo 'server: {port: 80}' >low/app.yaml

# offers TEXT WORD: the word is among those that a tab then offers; other tests may have mounts, too.
offers() {
	COMP_LINE=$1
	COMP_POINT=${#1}
	COMPREPLY=()
	_plyfs "$PLYFS"
	printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$2" || fail "'$1' offers: ${COMPREPLY[*]}; and not $2"
}

start
"$PLYFS" mount low:high 'with space'
for command in umount status; do
	offers "plyfs $command " "$PWD/mnt"
	offers "plyfs $command $PWD/m" "$PWD/mnt"
	offers "plyfs $command " "$PWD/with\\ space"
	offers "plyfs $command m" mnt
done
offers 'plyfs get mnt/' mnt/app.yaml
offers 'plyfs get mnt/app.yaml ser' server.port
"$PLYFS" umount 'with space'
