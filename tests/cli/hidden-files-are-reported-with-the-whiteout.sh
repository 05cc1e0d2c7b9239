#!/bin/bash
. "$(dirname "$0")/cli.sh"
# A file that a whiteout, an opaque directory, or an entry of another kind hides is not reported as a file that no layer
# has.

mkdir -p v/d v/sub/deep s/d t
cat >plyfs.yaml <<'END_'
layers: [v, s, t]
END_
on() { "$PLYFS" "${@:1:1}" -c plyfs.yaml "${@:2}"; }
for file in motd d/x sub/deep/y kind; do echo v >v/$file; done

# A whiteout that the command makes; and one beside it, in the directory above.
runs 0 on hide -L s motd
prints 's/.wh.motd: made; hides v/motd'
[ -f s/.wh.motd ] || fail "there is no whiteout"
for command in explain cat blame 'get motd a'; do
	read -ra words <<<"$command motd"
	runs 1 on "${words[@]:0:2}" ${words[2]:+a}
	grep -q 'motd: hidden by .*s/.wh.motd; .*v/motd exists' err || fail "$command: $(cat err)"
done
runs 0 on hide -L s motd
prints 'nothing changes: it is so already'
runs 0 on reset -L s motd
prints 's/.wh.motd: removed'
runs 0 on cat motd

# A device hides the file only if it is 0/0; and no file is written in its place.
if mknod s/motd c 1 3 2>/dev/null; then
	runs 0 on hide -L s motd
	prints 's/.wh.motd: made; hides v/motd'
	rm s/.wh.motd s/motd
	mknod s/motd c 0 0
	runs 0 on hide -L s motd
	prints 'nothing changes: it is so already'
	echo 'a: 1' >new
	runs 1 env VISUAL='cp new' "$PLYFS" edit -c plyfs.yaml -L s motd
	grep -qF "motd: the layer 's' has a whiteout there; to remove it: plyfs reset -L s motd" err || fail "$(cat err)"
	runs 0 on reset -L s motd
	prints 's/motd: removed'
fi
mkfifo s/kind.ini
for option in '' -n; do
	runs 1 on set ${option:+$option} -L s kind.ini a 1
	says "kind.ini: the layer 's' has a device, FIFO or socket there; to remove it: plyfs reset -L s kind.ini"
done
runs 0 on reset -L s kind.ini
runs 0 on set -L s kind.ini a 1
rm s/kind.ini

runs 0 on hide -n sub
[ ! -e t/.wh.sub ] || fail "a dry run writes"
runs 0 on hide sub
runs 1 on cat sub/deep/y
grep -q 'sub/deep/y: hidden by .*t/.wh.sub; .*v/sub/deep/y exists' err || fail "$(cat err)"
runs 0 on reset sub

# An opaque directory.
: >s/d/.wh..wh..opq
runs 1 on cat d/x
grep -q 'd/x: hidden by .*s/d/.wh..wh..opq; .*v/d/x exists' err || fail "$(cat err)"
rm s/d/.wh..wh..opq

# A file in a directory's place.
echo s >s/sub
runs 1 on cat sub/deep/y
grep -q 'sub/deep/y: hidden by .*s/sub; .*v/sub/deep/y exists' err || fail "$(cat err)"

# A file that is shown, and hides other layers' files all the same.
: >s/.wh.motd
echo t >t/motd
runs 0 on explain motd
grep -q 'lost *v *v/motd *hidden by s/.wh.motd' out || fail "$(cat out)"
runs 0 on explain --json motd
grep -q '"rule": "hidden by s/.wh.motd"' out || fail "$(cat out)"

# Not hidden: a missing file, a file that a higher layer shows all the same, and the layer's own file.
runs 1 on hide nothere
rm s/.wh.motd
runs 1 on hide -L s motd
grep -q "the layer 't' is higher and has this" err || fail "$(cat err)"
runs 1 on hide motd
grep -q "'plyfs reset' removes it" err || fail "$(cat err)"
runs 2 on hide motd a

# Paths are relative to the layers.
runs 1 on cat v/kind
says "v/kind: no layer has such a file; paths are relative to the layers: 'kind'"
runs 1 on explain "$PWD/v/kind"
says "paths are relative to the layers: 'kind'"
runs 1 on cat v/nothere
says 'v/nothere: no layer has such a file'

# A drop-in that a whiteout hides, in both modes; a masked one is reported by its own rule, once.
mkdir -p v/unit.yaml.d s/unit.yaml.d
echo 'a: 1' >v/unit.yaml
echo 'b: 1' | tee v/unit.yaml.d/{10,20,30}.yaml >/dev/null
: >s/unit.yaml.d/.wh.10.yaml
ln -s /dev/null s/unit.yaml.d/30.yaml
for mode in layers uapi; do
	echo "{layers: [v, s, t], rules: [{match: unit.yaml, strategy: deep, dropins: $mode}]}" >plyfs.yaml
	runs 0 on explain unit.yaml
	grep -q 'lost *v *v/unit.yaml.d/10.yaml *hidden by s/unit.yaml.d/.wh.10.yaml' out || fail "$mode: $(cat out)"
	[ "$(grep -c 'lost *v *v/unit.yaml.d/30.yaml' out)" -eq 1 ] || fail "$mode: $(cat out)"
	! grep -q 'lost.*20.yaml' out || fail "$mode: $(cat out)"
done

# A directory in a file's place names the file that it hides.
mkdir -p s/place v/only
echo v >v/place
for command in explain cat blame 'get place a'; do
	read -ra words <<<"$command place"
	runs 1 on "${words[@]:0:2}" ${words[2]:+a}
	grep -q 'place: is a directory: .*s/place hides the file .*v/place' err || fail "$command: $(cat err)"
done
runs 1 on cat only
grep -q 'only: is a directory; give a file' err || fail "$(cat err)"

# Below a file or a link nothing can be, but a higher layer can have a directory there. 'plyfs set' makes a new file, so
# it says why it can't.
for layer in v s; do
	can='can have such a file' remedy=
	[ $layer = s ] || can='has such a file' remedy="; for one in a higher layer, make the directory 'PATH' there"
	echo x >$layer/plain
	ln -s nowhere $layer/loose
	runs 1 "$PLYFS" cat -l v:s plain/new.yaml
	says "$layer/plain is a file, and no directory"
	for at in plain/new.yaml plain/down/new.yaml; do
		runs 1 "$PLYFS" set -l v:s $at a 1
		says "$at: no layer $can, as $layer/plain is a file, and no directory${remedy/PATH/plain}"
	done
	runs 1 "$PLYFS" set -l v:s loose/new.yaml a 1
	says "loose/new.yaml: no layer $can, as $layer/loose is a link, and no directory${remedy/PATH/loose}"
	for at in plain/down loose; do
		[ $layer = v ] || continue
		mkdir s/${at%/*}
		runs 0 "$PLYFS" set -l v:s $at/new.yaml a 1
		rm -r s/${at%/*}
	done
	rm $layer/plain $layer/loose
done
