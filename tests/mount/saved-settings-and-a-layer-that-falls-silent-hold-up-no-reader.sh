#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"
# plyfs.yaml is saved just when a layer has fallen silent, and no request has waited for the layer yet. The daemon opens
# the layer again when it reads the settings. No reader waits for that, nor any change of another layer.

mkdir part low/own
make_silent part half_FORGET
for number in $(seq 30); do echo 'a: 1' >low/own/n$number.yaml; done
printf 'options: {answer_timeout: 30s, header: false}\nlayers: [low, part, high]\n' >plyfs.yaml
start -c plyfs.yaml mnt
cat mnt/app.yaml mnt/own/n1.yaml >/dev/null
: >half_FORGET.out
# make_silent has named the variable.
# shellcheck disable=SC2154
echo OPENDIR >&"$half_FORGET_fd"
eventually grep -q OPENDIR half_FORGET.out
echo '# saved' >>plyfs.yaml
for number in 2 3 4; do
	sleep 0.1
	echo "a: $number" | replace low/own/n1.yaml
	comes_to_show mnt/own/n1.yaml "a: $number"
done
! grep "can't be opened" log || fail "the changes waited until the settings were read"
for number in $(seq 2 24); do
	timeout 20 cat mnt/own/n$number.yaml >/dev/null || fail "a local file is not read, $number quarters of a second later"
	timeout 20 cat mnt/.plyfs/status >/dev/null || fail "the status is not read, $number quarters of a second later"
	sleep 0.25
done
: >half_FORGET.out
echo NONE >&"$half_FORGET_fd"
eventually grep -q NONE half_FORGET.out
stop
