#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# While the new program starts, no process answers in the mount. The settings and layers that it hides are found
# beneath it, also if no name is cached.
need python3
need_root
mount_options=
echo 'a: 1' >low/app.yaml
echo 'z: 1' >mnt/z.yaml
ln -s mnt link
for coherence in strict cached; do
	for arguments in '-c mnt/plyfs.yaml' '-c mnt/../link/plyfs.yaml' 'mnt/plyfs.yaml' 'low:link' 'mnt'; do
		printf 'layers: [., ../low, ../mnt/../high]\noptions: {coherence: %s}\n' $coherence >mnt/plyfs.yaml
		# shellcheck disable=SC2086
		start $arguments mnt
		grep -q 'z: 1' mnt/z.yaml || fail "$arguments: no layer is found"
		renewed
		taken_over "$PLYFS" mount --take-over mnt
		grep -q 'z: 1' mnt/z.yaml || fail "$arguments: no layer is found any more"
		[ $coherence = strict ] || [ "$arguments" = mnt ] || grep -q 'a: 1' mnt/app.yaml
		stop
	done
done
