#!/bin/bash
. "$(dirname "$0")/mount.sh"

for what in skip-layer fail; do
	echo 'a: 1' >low/app.yaml
	echo 'b: 1' >high/app.yaml
	printf 'layers: [low, high]\noptions: {on_error: %s}\n' $what >plyfs.yaml
	start -c plyfs.yaml mnt
	shows mnt/app.yaml $'a: 1\nb: 1'
	echo 'b: [' >high/app.yaml
	if [ $what = skip-layer ]; then
		# A source that was good keeps its last good values; one that never was is left out.
		echo 'a: 2' >low/app.yaml
		comes_to_show mnt/app.yaml $'a: 2\nb: 1'
		echo 'a: 1' | tee low/app.yaml >low/never.yaml
		echo 'b: [' >high/never.yaml
		comes_to_show mnt/never.yaml 'a: 1'
	else
		refused() { ! cat mnt/app.yaml >/dev/null 2>&1; }
		eventually refused || fail "a broken file is still shown"
	fi
	# The same holds for a source that parses and is no map.
	echo 'log debug' >high/app.yaml
	if [ $what = skip-layer ]; then
		echo 'a: 3' >low/app.yaml
		comes_to_show mnt/app.yaml $'a: 3\nb: 1'
		echo 'log debug' >high/never.yaml
		echo 'a: 2' >low/never.yaml
		comes_to_show mnt/never.yaml 'a: 2'
		grep -q 'high/never.yaml:1:1: the file is a string here and a map in .*low/never.yaml:1:1' mnt/.plyfs/errors ||
			fail "the error is not told: $(cat mnt/.plyfs/errors)"
		echo 'a: 1' >low/app.yaml
	else
		eventually refused || fail "a file of another kind is shown"
	fi
	echo 'b: 2' >high/app.yaml
	comes_to_show mnt/app.yaml $'a: 1\nb: 2'
	stop
done
