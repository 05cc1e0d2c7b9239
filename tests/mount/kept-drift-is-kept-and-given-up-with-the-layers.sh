#!/bin/bash
# --drift=keep: drift stays, with --atomic as without. If the user takes it back, the current content of the layers
# shows. The link to the shown generation is put right in any case.
. "$(dirname "$0")/mount.sh"

# Puts `own` in the place of app.yaml, and returns whether that is reported. What is written into a generation that is
# replaced meanwhile is no drift, so it is put into the next one again.
drifts() {
	local now=$tree
	[ -z "$options" ] || now=$tree/$(readlink "$tree/..data")
	if [ "$now" != "$shown" ] && ! cmp -s own "$now/app.yaml"; then
		cp -p "$now/app.yaml" saved && cp own "$now/new~" && mv "$now/new~" "$now/app.yaml" || return 1
	fi
	shown=$now
	grep -q '^plyfs: app.yaml: another program has changed' log
}

for options in '' --atomic; do
	tree=out$options
	printf 'n: 0\n' | tee low/app.yaml low/edited.yaml low/linked.yaml >/dev/null
	mkdir -p low/sub
	echo 'n: 0' >low/sub/edited.yaml
	"$PLYFS" render --watch --drift=keep --no-header $options -l low:high $tree 2>log &
	render_pid=$!
	# It is written when all is rendered and watched.
	eventually [ -e $tree/.plyfs/status ]

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

	# Kept, and then taken back.
	eventually grep -q 'sub/edited.yaml: another program has changed' log || fail "it does not say so: $(cat log)"
	shown=
	eventually drifts || fail "it does not say so: $(cat log)"
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
