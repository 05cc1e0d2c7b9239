#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A name that a layer excludes is not listed, not found, and makes no event; also below an excluded directory. Files of
# other layers below it show through.
need python3
files='conf.d/secret.yaml dir/private/a.yaml dir/private/deep/b.yaml drop.yaml.d/9-out.yaml top.key'
put() {
	local file
	for file in $files; do
		mkdir -p "$(dirname "$1/$file")"
		echo "$2" >"$1/$file"
	done
}
put high 'x: 1'
echo 'x: 0' >low/top.key
mkdir -p low/dir/private/deep high/conf.d
echo 'low: 1' >low/dir/private/a.yaml
echo 'a: 1' | tee high/app.yaml high/drop.yaml high/conf.d/10-a.yaml >/dev/null
cat >plyfs.yaml <<'END'
layers:
  - low
  - path: high
    exclude: ["**/secret.*", "dir/private/**", "**/9-out.yaml", "*.key", "nothing,here"]
rules: [{match: drop.yaml, dropins: true}]
files: [{path: made.yaml, from: ["conf.d/*.yaml", "dir/private/deep/*", "top.key"]}]
END

check() {
	lists mnt app.yaml conf.d dir drop.yaml drop.yaml.d made.yaml top.key
	lists mnt/conf.d 10-a.yaml
	lists mnt/dir private # the lower layer's
	lists mnt/dir/private a.yaml deep
	shows mnt/dir/private/a.yaml 'low: 1'
	lists mnt/dir/private/deep
	! cat mnt/conf.d/secret.yaml mnt/dir/private/deep/b.yaml 2>/dev/null || fail "a name shows it"
	shows mnt/top.key 'x: 0'
	shows mnt/drop.yaml 'a: 1'
	shows mnt/made.yaml $'x: 0\na: 1'
	lists mnt/drop.yaml.d
	[ "$(find mnt -type f | sort | tr '\n' ' ')" = \
		"mnt/app.yaml mnt/conf.d/10-a.yaml mnt/dir/private/a.yaml mnt/drop.yaml mnt/made.yaml mnt/top.key " ]
}
start -c plyfs.yaml mnt
check
# Changed, removed, made and renamed: no event anywhere, and no time moves.
find mnt -exec stat -c '%n %i %Y %z' {} + | sort >before
watch mnt mnt/conf.d mnt/dir mnt/dir/private mnt/dir/private/deep mnt/drop.yaml.d
put high 'x: 2'
rm high/conf.d/secret.yaml high/dir/private/a.yaml high/drop.yaml.d/9-out.yaml high/top.key
rm -r high/dir/private
put high 'x: 3'
mv high/conf.d/secret.yaml high/conf.d/secret.bak
echo 'x: 4' | replace high/conf.d/secret.yaml
mkdir high/conf.d/secret.d
echo 'x: 5' >high/conf.d/secret.d/c.yaml
unwatch 1
saw_no_events
find mnt -exec stat -c '%n %i %Y %z' {} + | sort | diff before - || fail "a time has moved"
check

# The setting is live: a name that is excluded now goes, and one that is no longer excluded comes, each with its event.
watch mnt/conf.d mnt/dir/private
sed -i 's/"\*\*\/secret.\*", "dir\/private\/\*\*"/"conf.d\/10-*"/' plyfs.yaml
comes_to_list mnt/conf.d secret.bak secret.d secret.yaml
comes_to_show mnt/dir/private/a.yaml $'low: 1\nx: 3'
comes_to_show mnt/dir/private/deep/b.yaml 'x: 3'
comes_event 'MOVED_TO secret.yaml|CREATE secret.yaml'
comes_event 'DELETE 10-a.yaml|MOVED_FROM 10-a.yaml'
comes_event 'MOVED_TO a.yaml'
unwatch
echo 'x: 6' >high/conf.d/secret.d/c.yaml
comes_to_show mnt/conf.d/secret.d/c.yaml 'x: 6'
sed -i 's/"conf.d\/10-\*"/"**\/secret.*"/' plyfs.yaml
comes_to_list mnt/conf.d 10-a.yaml
stop

# Commands leave out the same names.
"$PLYFS" check -c plyfs.yaml >out
grep -q '^7 files: all merge' out || fail "check says: $(cat out)"
fails_with 'no layer has such a file' "$PLYFS" cat -c plyfs.yaml conf.d/secret.yaml
[ "$("$PLYFS" cat -c plyfs.yaml drop.yaml)" = 'a: 1' ]

# The default excludes files that git and editors keep beside the real ones.
rm -rf low high
mkdir -p low/.git low/sub high
names='.app.yaml.swp .swp app.yaml~ #app.yaml# .#app.yaml'
make_them() { for name in $names; do echo 'x: 1' | tee "low/$name" "low/sub/$name" >/dev/null; done; }
make_them
git init -q low/sub 2>/dev/null || mkdir -p low/sub/.git
echo text | tee low/.git/config low/.gitignore low/app.yaml low/.hidden low/sub/app.bak >/dev/null
start
lists mnt .gitignore .hidden app.yaml sub
lists mnt/sub app.bak
for name in $names; do [ ! -e "mnt/$name" ] || fail "$name shows"; done
[ ! -e mnt/.git/config ] || fail ".git shows"
watch mnt mnt/sub
rm low/.*.swp low/*~ low/sub/\#*
make_them
echo more >>low/.git/config
echo new >low/.git/index
unwatch 1
saw_no_events
stop
printf 'layers: [{path: low, exclude: []}]\n' >plyfs.yaml
start -c plyfs.yaml mnt
lists mnt .git .gitignore .hidden app.yaml sub $names
shows mnt/.git/index new
