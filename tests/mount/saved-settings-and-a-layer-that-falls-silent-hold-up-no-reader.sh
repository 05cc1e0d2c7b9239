#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"
# plyfs.yaml is saved just when a layer has fallen silent, and no request has waited for the layer yet. The daemon opens
# the layer again when it reads the settings: only the publisher waits for that.

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
for number in $(seq 2 24); do
	timeout 20 cat mnt/own/n$number.yaml >/dev/null || fail "a local file is not read, $number quarters of a second later"
	timeout 20 cat mnt/.plyfs/status >/dev/null || fail "the status is not read, $number quarters of a second later"
	sleep 0.25
done
: >half_FORGET.out
echo NONE >&"$half_FORGET_fd"
eventually grep -q NONE half_FORGET.out
stop
