#!/bin/bash
. "$(dirname "$0")/mount.sh"
# Four runs of random changes side by side, with the same seeds each time. In one of them the daemon is killed again and
# again, in another one it is taken over. layers-in-chaos-show-as-a-fresh-mount-does.sh is the long one;
# tests/chaos/chaos.py describes the checks.

need python3
need_root # marks that are devices
/usr/bin/env python3 -c 'import tomllib, yaml' 2>/dev/null || skip "python3-yaml or Python 3.11 is missing"
rmdir low high mnt
chmod 755 . # links lead past it, and a reader that it denies is denied by the sources that they show
chaos=$(realpath "$(dirname "$test_file")/../chaos/chaos.py")
runs=("--seed 1" "--seed 2" "--seed 11 --take-over" "--seed 4 --kill")
processes=()
for number in "${!runs[@]}"; do
	mkdir "run$number"
	# shellcheck disable=SC2086 # several words
	(cd "run$number" && exec python3 "$chaos" ${runs[$number]} --seconds "${CHAOS_SECONDS:-8}" "$PLYFS") &
	processes+=($!)
done
failed=
for number in "${!runs[@]}"; do
	wait "${processes[$number]}" || failed+=" (${runs[$number]})"
done
for mount in run*/mnt run*/fresh; do
	! is_mounted "$mount" || umount -l "$mount"
done
[ -z "$failed" ] || fail "see above:$failed"
