#!/bin/bash
. "$(dirname "$0")/mount.sh"

# refuses PLACE ALLOWED LINE: the line is refused there, and the message names what is allowed.
refuses() {
	printf 'layers: [low, high]\n%s\n' "$3" >plyfs.yaml
	for way in 'mount -f -c' 'mount -c' ''; do
		# shellcheck disable=SC2086
		fails_with "plyfs.yaml:$1: " "$PLYFS" $way plyfs.yaml mnt
		# shellcheck disable=SC2086
		fails_with "$2" "$PLYFS" $way plyfs.yaml mnt
	done
	! is_mounted mnt || fail "it is mounted all the same"
}

refuses 2:37 'deep, salt' 'rules: [{match: "*.yaml", strategy: dep}]'
refuses 2:44 'append' 'rules: [{match: "*.yaml", options: {lists: apend}}]'
refuses 2:37 'lists' 'rules: [{match: "*.yaml", options: {list: append}}]'
refuses 2:1 'rules' 'rulez: []'
refuses 2:11 'coherence' 'options: {x: 1}'
refuses 2:15 '' 'options: {x: [}'
