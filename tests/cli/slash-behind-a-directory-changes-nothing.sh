#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A shell that completes the name of a directory puts a slash behind it. So do "." and ".." name directories.
mkdir -p vendor/dir/sub site/dir high
echo 'a: 1' >vendor/dir/app.yaml
echo 'a: 2' >site/dir/app.yaml
echo 'b: 1' | tee vendor/dir/sub/x.yaml >vendor/top.yaml
ln -s dir vendor/link
at=(-l vendor:site:high)

for path in dir dir/ dir// ./dir/ dir/. dir/sub/.. /dir/ link/ link/. link/sub/..; do
	runs 0 "$PLYFS" ls --layers vendor:site:high "$path"
	[ "$(cat out)" = $'app.yaml\nsub' ] || fail "'ls $path' lists: $(cat out)"
	runs 0 "$PLYFS" check "${at[@]}" "$path"
	[ "$(cat out)" = '2 files: all merge' ] || fail "'check $path' says: $(cat out)"
	runs 0 "$PLYFS" diff -l vendor -l vendor:site "$path"
	grep -q '^+a: 2' out
	for command in cat explain blame edit; do
		runs 1 "$PLYFS" $command "${at[@]}" "$path"
		[ ! -s out ] && says 'is a directory'
	done
	for command in get unset; do
		runs 1 "$PLYFS" $command "${at[@]}" "$path" a
		[ ! -s out ] && says 'is a directory'
	done
	runs 1 "$PLYFS" set "${at[@]}" "$path" a 1
	[ ! -s out ] && says 'is a directory'
done
for path in dir dir/ ./dir/ dir/. dir/sub/..; do
	runs 0 "$PLYFS" hide "${at[@]}" "$path"
	[ -e high/.wh.dir ] || fail "'hide $path' hides: $(cat out)"
	runs 0 "$PLYFS" reset "${at[@]}" dir
	[ ! -e high/.wh.dir ] || fail "reset says: $(cat out)"
done

# The root has no name.
for path in . ./ / dir/.. dir/../; do
	runs 0 "$PLYFS" ls --layers vendor:site:high "$path"
	[ "$(cat out)" = $'dir\nlink\ntop.yaml' ] || fail "'ls $path' lists: $(cat out)"
	runs 1 "$PLYFS" hide "${at[@]}" "$path"
	runs 1 "$PLYFS" cat --sources "${at[@]}" "$path"
	says 'is a directory'
done

# A file is no directory.
for path in dir/app.yaml/ dir/app.yaml/. top.yaml/..; do
	for command in 'ls --layers' 'check -l' 'cat -l' 'explain -l'; do
		# shellcheck disable=SC2086
		runs 1 "$PLYFS" $command vendor:site:high "$path"
		[ ! -s out ] || fail "'$command $path' says: $(cat out)"
	done
done
