#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need python3 inotifywait
mkdir -p low/dir high/dir third/dir third/only
for layer in low high third; do
	echo "$layer: 1" | tee $layer/app.yaml $layer/dir/app.yaml >/dev/null
	echo "$layer: 1" >$layer/dir/$layer.yaml
done
echo same | tee low/same high/same third/same >/dev/null
echo text >third/only/motd
: >third/.wh.same
echo 'low: 1' >low/dir/unread
printf 'layers: [low, high]\n' >plyfs.yaml
start -c plyfs.yaml mnt
ls mnt/dir >/dev/null
cat mnt/app.yaml mnt/same mnt/dir/*.yaml >/dev/null
[ ! -e mnt/only ] # the kernel remembers that

# told WHAT EVENT...: exactly these events come, in any order. A reader may see a name come or go before its event.
told() {
	local what=$1
	shift
	printf '%s\n' "$@" | sort >wanted
	are_wanted() { grep -v ATTRIB events | sort | cmp -s - wanted; }
	eventually are_wanted || fail "$what with: $(cat events)"
	unwatch
	are_wanted || fail "$what with: $(cat events)"
}

# A layer joins: its changes make events, each once, and nothing else does.
watch mnt mnt/dir mnt/same
printf 'layers: [low, high, third]\n' | replace plyfs.yaml
comes_to_show mnt/app.yaml $'low: 1\nhigh: 1\nthird: 1'
comes_to_show mnt/only/motd text
comes_to_show mnt/dir/third.yaml 'third: 1'
comes_to_show mnt/dir/app.yaml $'low: 1\nhigh: 1\nthird: 1'
told "a layer joins" 'mnt/ CREATE,ISDIR only' 'mnt/ MOVED_TO app.yaml' \
	'mnt/dir/ MOVED_TO app.yaml' 'mnt/dir/ MOVED_TO third.yaml'
comes_to_equal_fresh -c plyfs.yaml

# Another order, a layer of another name, and one that leaves from the middle.
printf 'layers: [third, low, {name: top, path: high}]\n' >plyfs.yaml
comes_to_show mnt/app.yaml $'third: 1\nlow: 1\nhigh: 1'
comes_to_equal_fresh -c plyfs.yaml
[ "$(status layers 2 name)" = top ]
watch mnt mnt/dir
printf 'layers: [third, {name: top, path: high}]\n' >plyfs.yaml
comes_to_show mnt/app.yaml $'third: 1\nhigh: 1'
comes_to_vanish mnt/dir/low.yaml
comes_to_vanish mnt/dir/unread
comes_to_show mnt/dir/app.yaml $'third: 1\nhigh: 1'
told "a layer leaves" 'mnt/ MOVED_TO app.yaml' 'mnt/dir/ DELETE low.yaml' \
	'mnt/dir/ DELETE unread' 'mnt/dir/ MOVED_TO app.yaml'
# The layer that left is no longer watched, and the others are.
echo 'low: 2' | tee low/app.yaml low/dir/new.yaml >/dev/null
echo 'high: 2' >high/app.yaml
comes_to_show mnt/app.yaml $'third: 1\nhigh: 2'
[ ! -e mnt/dir/new.yaml ] || fail "a layer that has left is looked at"
comes_to_equal_fresh -c plyfs.yaml

# Settings that have no effect on a file make no event for it; a comment makes none at all.
watch mnt mnt/dir
cat >plyfs.yaml <<-END
	# nothing
	layers: [third, {name: top, path: high}]
	rules: [{match: "nowhere/*", strategy: concat}, {match: "dir/app.yaml", strategy: last}]
END
comes_to_show mnt/dir/app.yaml 'high: 1'
told "a rule comes" 'mnt/dir/ MOVED_TO app.yaml'

# Broken: the mount goes on with its old settings, also with changes in its layers.
has_error() { [[ $(status settings error 2>/dev/null) == *plyfs.yaml:[0-9]*:* ]]; }
printf 'layers: [low, high\n' >plyfs.yaml
eventually has_error || fail "the status does not tell: $(cat mnt/.plyfs/status)"
grep -q 'plyfs.yaml:.*the settings of .* ago are in force' log || fail "the log does not tell"
printf 'layers: [low, nowhere]\n' >plyfs.yaml
has_place() { "$PLYFS" status mnt | grep -q 'plyfs.yaml:1:15:'; }
eventually has_place || fail "the status does not tell: $("$PLYFS" status mnt)"
[[ $(status settings error) == *plyfs.yaml:1:15:* ]] || fail "the status tells: $(status settings)"
echo 'third: 3' >third/app.yaml
comes_to_show mnt/app.yaml $'third: 3\nhigh: 2'
shows mnt/dir/app.yaml 'high: 1'
rm plyfs.yaml
sleep 0.3
shows mnt/app.yaml $'third: 3\nhigh: 2'
printf 'layers: [low]\n' >plyfs.yaml
comes_to_show mnt/app.yaml 'low: 2'
mended() { ! status settings error >/dev/null 2>&1; }
eventually mended || fail "the error stays"
comes_to_equal_fresh -c plyfs.yaml

# Strict from now on; or the status says that this needs a new mount.
printf 'layers: [low]\noptions: {coherence: strict}\n' >plyfs.yaml
strict() { [ "$(status settings coherence)" = strict ]; }
strict_or_told() { strict || [[ $(status settings error 2>/dev/null) == *coherence* ]]; }
eventually strict_or_told || fail "coherence does not change, and nothing tells"
if strict; then
	for i in $(seq 100); do
		echo "low: $i" >low/app.yaml
		shows mnt/app.yaml "low: $i"
	done
fi

# The last good versions stay where they are.
printf 'layers: [low]\noptions: {state: %s/elsewhere}\n' "$PWD" >plyfs.yaml
reports_state() { [[ $(status settings error 2>/dev/null) == *"'state' takes effect at the next mount"* ]]; }
eventually reports_state || fail "what is kept does not move, and nothing says so"
