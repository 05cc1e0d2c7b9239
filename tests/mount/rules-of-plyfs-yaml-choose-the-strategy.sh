#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir low/motd.d high/motd.d
echo one >low/motd.d/x
echo two >high/motd.d/x
printf 'jobs: [{name: a, n: 1}, {name: b}]\n' >low/jobs.yaml
printf 'jobs: [{name: a, n: 2}]\n' >high/jobs.yaml
echo 'a: 1' >low/first.yaml
echo 'a: 2' >high/first.yaml
cat >plyfs.yaml <<-END
	layers: [low, high]
	rules:
	  - {match: "motd.d/*", strategy: concat}
	  - {match: jobs.yaml, strategy: deep, options: {lists: {jobs: {by: name}}}}
	  - {match: first.yaml, strategy: first}
END
start -c plyfs.yaml mnt

shows mnt/motd.d/x $'one\ntwo'
"$PLYFS" merge --set 'lists={jobs: {by: name}}' low/jobs.yaml high/jobs.yaml | cmp - mnt/jobs.yaml
shows mnt/first.yaml 'a: 1'
[ "$(attribute mnt/motd.d/x user.plyfs.strategy)" = concat ]
