#!/bin/bash
# examples/container/Containerfile makes an image in which plyfs renders live, without a privilege, as compose.yaml has
# it. The image that it begins with is a root of debootstrap, so no registry is needed. It takes 5 minutes and 2 GB below
# TMPDIR, and is in a suite of its own:
#
#     meson test -C build-check --suite bare
set -euo pipefail

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "failed: $*" >&2
	exit 1
}

[ "$(id -u)" -eq 0 ] || skip "only root can do this"
for tool in podman debootstrap; do
	command -v $tool >/dev/null || skip "$tool is missing"
done
source=$(realpath "$(dirname "$(realpath "$0")")/../..")
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

# Images and containers are below the test's own directory.
directory=$(mktemp -d "${TMPDIR:-/tmp}/plyfs-test.XXXXXX")
podman() {
	command podman --root "$directory/images" --runroot "$directory/run" "$@"
}
clean_up() {
	podman rm --all --force >/dev/null 2>&1 || true
	podman volume rm --all --force >/dev/null 2>&1 || true
	podman rmi --all --force >/dev/null 2>&1 || true
	rm -rf --one-file-system "$directory"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
cd "$directory"

debootstrap --variant=minbase bookworm base "$mirror" >log 2>&1 || {
	! grep -q 'Failed getting release file\|Unable to.*resolve' log || skip "$mirror can't be reached"
	tail -20 log >&2
	exit 1
}
tar -C base -c . | podman import - docker.io/library/debian:stable-slim >log 2>&1
rm -rf --one-file-system base
limits=(--ulimit nofile=1024:1024 --ulimit nproc=1024:1024)
# crun refuses cgroups of both versions at once; runc takes them.
for runtime in crun runc; do
	! podman --runtime $runtime run "${limits[@]}" --rm --network=none debian:stable-slim true >log 2>&1 || break
	runtime=
done
[ -n "$runtime" ] || skip "podman can't run a container here: $(tail -1 log)"

mkdir source
tar -C "$source" -c --exclude='./build*' --exclude=./.git . | tar -C source -x
podman build --isolation=chroot --network=host --pull=never -t plyfs -f source/examples/container/Containerfile source \
	>log 2>&1 || {
	tail -40 log >&2
	exit 1
}
# What podman calls the size counts the layers below, too, if its storage has no overlay.
size=$(podman save plyfs | wc -c)
[ "$size" -lt 6000000 ] || fail "the image has $size bytes"

mapfile -t command < <(python3 - source/examples/container/compose.yaml <<'END'
import sys, yaml
live = yaml.safe_load(open(sys.argv[1]))["services"]["live"]
assert live["cap_drop"] == ["ALL"] and live["read_only"] is True and live["healthcheck"]["test"][0] == "CMD"
print(*live["command"], "--", *live["healthcheck"]["test"][1:], sep="\n")
END
)
for i in "${!command[@]}"; do
	[ "${command[i]}" != -- ] || break
done
podman --runtime "$runtime" run "${limits[@]}" --detach --name live --network=none --cap-drop=ALL --read-only --read-only-tmpfs=false \
	--security-opt=no-new-privileges -v "$PWD/source/examples/vendor:/vendor:ro" -v "$PWD/source/examples/site:/site:ro" \
	-v merged:/merged plyfs "${command[@]:0:i}" >log 2>&1 || fail "it does not start: $(cat log)"
merged=$(podman volume inspect --format '{{.Mountpoint}}' merged)

# eventually COMMAND: within a minute.
eventually() {
	local end=$((SECONDS + 60))
	until "$@" >log 2>&1; do
		[ $SECONDS -lt $end ] || fail "$*: $(cat log; podman logs live 2>&1)"
		sleep 0.2
	done
}
eventually podman --runtime "$runtime" exec live "${command[@]:i+1}"
grep -q 'port: 8080' "$merged/app.yaml" || fail "it has rendered: $(cat "$merged/app.yaml"; podman logs live 2>&1)"
sed -i s/8080/9090/ source/examples/site/app.yaml
eventually grep -q 'port: 9090' "$merged/app.yaml"
podman --runtime "$runtime" stop live >log 2>&1
[ "$(podman inspect --format '{{.State.ExitCode}}' live)" = 0 ] || fail "it did not end by itself: $(podman logs live 2>&1)"
