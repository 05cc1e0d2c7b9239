#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Some moments pass between reading plyfs.yaml and watching it. It may be saved once more in between.
echo 'low: 1' >low/app.yaml
echo 'high: 1' >high/app.yaml
settings() { printf 'layers: [%s]\noptions: {header: false}\n' "$1" | replace plyfs.yaml; }
for ((i = 0; i < 30; i++)); do
	settings low
	{ sleep "0.$(printf '%02d' $((i % 15 * 2)))" && settings 'low, high'; } &
	saver=$!
	start -c plyfs.yaml mnt
	wait $saver
	comes_to_show mnt/app.yaml $'low: 1\nhigh: 1'
	# The change is still being published.
	unmount mnt
	ended_cleanly
done

# The order of keys counts (plyfs-merge(7), Places), the notation of a value may, and messages name lines.
echo 'web: {hosts: [a], b: 1}' >low/app.yaml
echo 'web: {hosts: [b], b: 2}' >high/app.yaml
rules() {
	{
		echo 'layers: [low, high]'
		echo 'options: {header: false}'
		printf '%s\n' 'rules:' "- match: '*.yaml'" "$@"
	} | replace plyfs.yaml
}
rules '  options: {lists: {"web.*": append, "*.hosts": replace}}'
start -c plyfs.yaml mnt
shows mnt/app.yaml 'web: {hosts: [b], b: 2}'
rules '  options: {lists: {"*.hosts": replace, "web.*": append}}'
comes_to_show mnt/app.yaml 'web: {hosts: [a, b], b: 2}'
rules '  lock: {low: web.b}'
refused_at() { grep -q "the lock is at .*plyfs.yaml:$1:" mnt/.plyfs/errors; }
eventually refused_at 5 || fail "the lock is not named: $(cat mnt/.plyfs/errors)"
rules '  # One more line.' '  lock: {low: web.b}'
eventually refused_at 6 || fail "the old line is named: $(cat mnt/.plyfs/errors)"
stop
