#!/bin/bash
. "$(dirname "$0")/mount.sh"

. "$(dirname "$0")/../../data/completion/plyfs.bash"
mkdir 'with space'
echo 'server: {port: 80}' >low/app.yaml

# is_offered TEXT WORD: the word is among those that a tab then offers; other tests may have mounts, too.
is_offered() {
	COMP_LINE=$1
	COMP_POINT=${#1}
	COMPREPLY=()
	_plyfs "$PLYFS"
	[[ $'\n'$(printf '%s\n' "${COMPREPLY[@]}")$'\n' == *$'\n'"$2"$'\n'* ]]
}
# On a busy machine, a mount may be silent for the time that a tab waits for it.
offers() { eventually is_offered "$@" || fail "'$1' offers: ${COMPREPLY[*]}; and not $2"; }

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
