#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"
# A process that waits for a silent file system can't be killed. Only a process without /dev/fuse opens the layer when
# plyfs.yaml is read again: else the mount would stay after SIGKILL, and nobody would answer.

mkdir part
make_silent part half_FORGET
echo 'a: 1' >low/app.yaml
printf 'options: {answer_timeout: 3s, header: false}\nlayers: [low, part]\n' >plyfs.yaml
start -c plyfs.yaml mnt
cat mnt/app.yaml >/dev/null
: >half_FORGET.out
# make_silent has named the variable.
# shellcheck disable=SC2154
echo OPENDIR >&"$half_FORGET_fd"
eventually grep -q OPENDIR half_FORGET.out
echo '# saved' >>plyfs.yaml
sleep 1

killed_mount_ends 2
: >half_FORGET.out
echo NONE >&"$half_FORGET_fd"
eventually grep -q NONE half_FORGET.out
