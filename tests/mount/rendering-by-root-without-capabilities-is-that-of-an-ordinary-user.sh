#!/bin/bash
# In a container root may have no capability. Then plyfs renders as for an ordinary user: it can write into directories
# of its own alone, and gives no file to another user. What can't be rendered is an error in the status.
. "$(dirname "$0")/mount.sh"

need setpriv
need_root
bare() { setpriv --bounding-set=-all --inh-caps=-all "$@"; }
bare grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || skip "setpriv leaves capabilities"

mkdir low/closed low/other high/closed
echo 'a: 1' | tee low/closed/app.yaml >low/other/app.yaml
echo 'b: 2' >high/closed/app.yaml
chown 4242:4243 low/other/app.yaml
# A group to which the file can't be given has less or more rights than all others.
echo 'c: 1' | tee low/other/barred.yaml >low/other/shared.yaml
chown :4243 low/other/barred.yaml low/other/shared.yaml
chmod 604 low/other/barred.yaml
chmod 640 low/other/shared.yaml
chmod 555 low/closed high/closed

for options in '' --atomic; do
	tree=out$options
	[ -z "$options" ] && shown=$tree || shown=$tree/..data
	for round in first second changed; do
		[ $round != changed ] || echo 'b: 3' >high/closed/app.yaml
		bare "$PLYFS" render $options -l low:high $tree 2>err || fail "$options, $round: $(cat err)"
		[ ! -s err ] || fail "$options, $round: $(cat err)"
		bare "$PLYFS" status --exit-code $tree >/dev/null || fail "$options, $round: $("$PLYFS" status $tree)"
	done
	echo 'b: 2' >high/closed/app.yaml
	[ "$(grep -v '^#' $shown/closed/app.yaml)" = "$(printf 'a: 1\nb: 3')" ] || fail "$options: $(cat $shown/closed/app.yaml)"
	[ "$(stat -c %u $shown/other/app.yaml)" = 0 ] || fail "$options: root without a right has given a file away"

	for wanted in app:444 barred:400 shared:400; do
		mode=$(stat -c %a $shown/other/${wanted%:*}.yaml)
		[ $mode = ${wanted#*:} ] || fail "$options: without its group, $wanted has $mode"
	done

	# With its capabilities again, it puts right what it could not do.
	"$PLYFS" render $options -l low:high $tree >/dev/null
	[ "$(stat -c %u $shown/other/app.yaml)" = 4242 ] || fail "$options: the owner is not that of the layer"
	[ "$(stat -c %a:%g $shown/other/barred.yaml)" = 404:4243 ] || fail "$options: the group is not that of the layer"
	[ "$(stat -c %a $shown/closed)" = 555 ] || fail "$options: the mode is $(stat -c %a $shown/closed)"
done

# The next state of an atomic tree can't be made: the status says so until it is.
tree=out--atomic
echo 'b: 4' >high/closed/app.yaml
chmod 555 $tree
! bare "$PLYFS" render --atomic -l low:high $tree >/dev/null 2>err || fail "a tree that can't be changed is no error"
! bare "$PLYFS" status --exit-code $tree >said || fail "the status says that all is well: $(cat said)"
grep -q 'The next state of the tree could not be made' said || fail "the status does not say why: $(cat said)"
[ "$(tail -n 1 $tree/closed/app.yaml)" = 'b: 2' ] || fail "the old state is not whole: $(cat $tree/closed/app.yaml)"
chmod 755 $tree
bare "$PLYFS" render --atomic -l low:high $tree >/dev/null
bare "$PLYFS" status --exit-code $tree >said || fail "the error stays: $(cat said)"
[ "$(tail -n 1 $tree/closed/app.yaml)" = 'b: 4' ] || fail "the new state is not shown: $(cat $tree/closed/app.yaml)"
