#!/bin/bash
. "$(dirname "$0")/mount.sh"

need git
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
echo 'a: 1' >low/app.yaml
(
	cd high || exit
	git init -q -b main
	git config user.name test
	git config user.email test@localhost
	mkdir -p dir/sub
	for i in $(seq 50); do echo "n: $i" >dir/sub/$i.yaml; done
	echo 'b: main' >app.yaml
	echo main >only-main
	git add -A
	git commit -qm one
	git checkout -qb other
	for i in $(seq 50); do echo "n: other-$i" >dir/sub/$i.yaml; done
	echo 'b: other' >app.yaml
	git rm -q only-main
	mkdir new
	echo other >new/file
	git add -A
	git commit -qm two
	git checkout -q main
)
start
shows mnt/app.yaml $'a: 1\nb: main'
shows mnt/dir/sub/50.yaml 'n: 50'
shows mnt/only-main main

same() { diff -r --exclude=.git --exclude=app.yaml high mnt >difference 2>&1; }
for branch in other main other; do
	git -C high checkout -q $branch
	comes_to_show mnt/app.yaml "a: 1"$'\n'"b: $branch"
	eventually same || fail "$branch differs: $(cat difference)"
done
[ ! -e mnt/only-main ]
