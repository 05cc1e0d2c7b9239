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
answers_no OPENDIR
echo '# saved' >>plyfs.yaml
sleep 1

killed_mount_ends 20
answers_no NONE
