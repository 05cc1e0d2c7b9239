#!/bin/bash
# --drift=keep: drift stays, with --atomic as without. If the user takes it back, the current content of the layers
# shows. The link to the shown generation is put right in any case.
. "$(dirname "$0")/mount.sh"

# Returns whether the link leads to the same generation for a while.
stays() {
	local generation
	generation=$(readlink "$1")
	sleep 0.3
	[ "$(readlink "$1")" = "$generation" ]
}

for options in '' --atomic; do
	tree=out$options
	printf 'n: 0\n' | tee low/app.yaml low/edited.yaml low/linked.yaml >/dev/null
	mkdir -p low/sub
	echo 'n: 0' >low/sub/edited.yaml
	"$PLYFS" render --watch --drift=keep --no-header $options -l low:high $tree 2>log &
	render_pid=$!
	eventually [ -e $tree/sub/edited.yaml ]

	# Drift stays when the layers no longer have the file; so does the directory around it.
	echo "mine: 1" >own
	cp own $tree/new~
	mv $tree/new~ $tree/edited.yaml
	cp own $tree/sub/new~
	mv $tree/sub/new~ $tree/sub/edited.yaml
	rm -r low/edited.yaml low/sub
	echo 'n: 1' >low/linked.yaml
	comes_to_show $tree/linked.yaml 'n: 1'
	shows $tree/edited.yaml 'mine: 1'
	shows $tree/sub/edited.yaml 'mine: 1'

	# Kept, and then taken back. What is written into a generation that is replaced meanwhile is no drift.
	eventually grep -q 'sub/edited.yaml: another program has changed' log || fail "it does not say so: $(cat log)"
	[ -z "$options" ] || eventually stays $tree/..data
	[ -z "$options" ] && shown=$tree || shown=$tree/$(readlink $tree/..data)
	cp -p $shown/app.yaml saved
	cp own $shown/new~
	mv $shown/new~ $shown/app.yaml
	eventually grep -q 'app.yaml: another program has changed' log || fail "it does not say so: $(cat log)"
	echo 'n: 2' >low/app.yaml
	sleep 0.5
	shows $shown/app.yaml 'mine: 1'
	mv saved $shown/app.yaml
	comes_to_show $tree/app.yaml 'n: 2'

	if [ -n "$options" ]; then
		# The user's own link, in the place of a rendered file.
		ln -sfn elsewhere $tree/linked.yaml
		rm low/linked.yaml
		echo 'n: 3' >low/app.yaml
		comes_to_show $tree/app.yaml 'n: 3'
		[ "$(readlink $tree/linked.yaml)" = elsewhere ] || fail "his link is gone"
		# No rendered name leads elsewhere for long, and nothing is lost.
		ln -sfn nowhere $tree/..data
		comes_to_show $tree/app.yaml 'n: 3'
		echo 'n: 4' >low/app.yaml
		comes_to_show $tree/app.yaml 'n: 4'
		shows $tree/sub/edited.yaml 'mine: 1'
	fi
	kill $render_pid
	wait $render_pid || fail "render ends with $?: $(cat log)"
	rm -rf low/*
done
