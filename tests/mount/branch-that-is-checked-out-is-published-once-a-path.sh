#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need git inotifywait
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
mkdir -p low/sub
for i in $(seq 300); do echo "low: $i" >low/sub/$i.yaml; done
(
	cd high || exit
	git init -q -b main
	git config user.name test
	git config user.email test@localhost
	mkdir sub only-main
	for i in $(seq 300); do echo "n: $i" >sub/$i.yaml; done
	echo main | tee only-main/motd sub/only-main >/dev/null
	git add -A
	git commit -qm one
	git checkout -qb other
	# 200 of 300 files change, and 50 of those go away and uncover the lower layer's.
	for i in $(seq 200); do echo "n: other-$i" >sub/$i.yaml; done
	git rm -qrf only-main sub/only-main $(seq -f 'sub/%g.yaml' 151 200)
	mkdir only-other
	echo other | tee only-other/motd sub/only-other >/dev/null
	git add -A
	git commit -qm two
	git checkout -q main
)
start
# A file that no program has looked up makes no event.
cat mnt/sub/* >/dev/null
ls mnt/only-main >/dev/null

watch mnt mnt/sub
# While git stands still for longer than a writer is waited for (events.h), a path may be published in between: so no
# other test holds it up.
first=
[ "$(id -u)" -ne 0 ] || first='nice -n -15'
$first git -C high checkout -q other
comes_to_equal_fresh
# A reader may see a name come or go before its event.
{
	for i in $(seq 200); do echo "1 MOVED_TO $i.yaml"; done
	echo '1 DELETE only-main'
	echo '1 MOVED_TO only-other'
	echo '1 mnt/ CREATE,ISDIR only-other'
	echo '1 mnt/ DELETE,ISDIR only-main'
} | sort >wanted
are_wanted() {
	grep -v ' \.git$' events | sort | uniq -c | awk '{ sub("mnt/sub/ ", ""); $1 = $1; print }' | sort |
		diff wanted - >difference
}
eventually are_wanted || fail "not each path was published once: $(cat difference)"
unwatch
are_wanted || fail "not each path was published once: $(cat difference)"

# The branch is checked out again, without watchers: the mount shows what a fresh mount shows.
git -C high checkout -q main
comes_to_equal_fresh
shows mnt/sub/200.yaml $'low: 200\nn: 200'
