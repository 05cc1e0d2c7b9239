#!/bin/bash
. "$(dirname "$0")/cli.sh"

[ -e /dev/full ] || skip "there is no /dev/full"
echo 'a: 1' >f.yaml
full() { "$@" >/dev/full; }
runs 1 full "$PLYFS" merge f.yaml
says 'No space left on device'
runs 1 full "$PLYFS" --help
says 'No space left on device'
runs 1 full "$PLYFS" cat -l . f.yaml
says 'No space left on device'

# A command that edits says that the change is made: a script that repeats it would add the item twice.
mkdir v s
echo 'a: [1]' >v/f.yaml
changed() { # SUBCOMMAND…
	runs 1 full "$PLYFS" "$@"
	grep -q '^plyfs: f.yaml: is changed; only the report' err && grep -q 'No space left on device' err ||
		fail "it says: $(cat err)"
}
changed set -l v f.yaml 'a[+]' 2
[ "$(cat v/f.yaml)" = 'a: [1, 2]' ] || fail "it becomes: $(cat v/f.yaml)"
runs 1 full "$PLYFS" set --json -l v f.yaml 'a[+]' 3
grep -q 'is changed; only the report' err || fail "it says: $(cat err)"
changed unset -l v f.yaml 'a[0]'
EDITOR="sed -i s/2/4/" changed edit -l v f.yaml
changed hide -l v:s f.yaml
changed reset -l v:s f.yaml
[ "$(cat v/f.yaml)" = 'a: [4, 3]' ] || fail "it becomes: $(cat v/f.yaml)"
[ ! -e s/.wh.f.yaml ] || fail "the whiteout stays"

# What was not changed is not reported as changed.
for option in -n --dry-run; do
	runs 1 full "$PLYFS" set "$option" -l v f.yaml 'a[+]' 5
	says 'No space left on device'
done
runs 1 full "$PLYFS" set -l v f.yaml 'a[0]' 4
says 'No space left on device'

# A limit of file sizes ends no command without a message, and leaves nothing beside the file.
echo 'b: 1' >s/f.yaml
said=$(ulimit -f 0; "$PLYFS" set -l v:s f.yaml b 2 2>&1; echo "code $?")
[[ $said == *"s/f.yaml: can't be written: File too large"*'code 1' ]] || fail "it says: $said"
[ "$(ls -A s)" = f.yaml ] || fail "there is: $(ls -A s)"
# No directory that was made for the file stays, and not the layer's own; one that was there does.
mkdir s/old
printf 'layers: [v, {path: hosts/h, optional: true}]\n' >optional.yaml
for new in '-l v:s new/dir/g.yaml' '-l v:s old/dir/g.yaml' '-c optional.yaml --layer h g.yaml' \
	'-c optional.yaml --layer h new/g.yaml'; do
	# shellcheck disable=SC2086 # several words
	said=$(ulimit -f 0; "$PLYFS" set $new b 2 2>&1; echo "code $?")
	[[ $said == *"g.yaml: can't be written: File too large"*'code 1' ]] || fail "it says: $said"
done
[ "$(find s hosts | sort)" = $'hosts\ns\ns/f.yaml\ns/old' ] || fail "there is: $(find s hosts)"
rm -r s/old
said=$(ulimit -f 0; "$PLYFS" cat -l v:s f.yaml 2>&1 >text; echo "code $?")
[[ $said == *"can't write to standard output: File too large"*'code 1' ]] || fail "it says: $said"
