#!/bin/bash
. "$(dirname "$0")/mount.sh"

echo 'high: 1' >high/app.yaml
lockstep() {
	"$MOUNT_TOOLS/lockstep" "$@" >counts || fail "lockstep $*: $(cat counts)"
	read -r stale torn <counts
	[ "$torn" -eq 0 ] || [ $coherence != strict ] || fail "$torn texts are torn: lockstep $*"
}

for coherence in strict cached; do
	rounds=${LOCKSTEP_ROUNDS:-9000}
	[ $coherence = strict ] || rounds=3000
	printf 'layers: [low, high]\noptions: {coherence: %s}\n' $coherence >plyfs.yaml
	echo 'version: 00000000' >low/app.yaml
	start -c plyfs.yaml mnt
	lockstep "$rounds" low/app.yaml mnt/app.yaml
	by_rename=$stale
	lockstep --in-place "$rounds" low/app.yaml mnt/app.yaml
	in_place=$stale
	# The same by another name of the file, elsewhere: no event reports that.
	ln low/app.yaml elsewhere
	lockstep --in-place $((rounds / 4)) elsewhere mnt/app.yaml
	rm elsewhere
	case $coherence in
	strict)
		[ "$by_rename $in_place $stale" = '0 0 0' ] ||
			fail "stale: $by_rename by rename, $in_place in place, $stale by another name"
		;;
	cached)
		# The twin: it is right soon, but not at once.
		[ "$by_rename" -gt 0 ] && [ "$in_place" -gt 0 ] || fail "strict proves nothing here"
		;;
	esac
	stop
done
