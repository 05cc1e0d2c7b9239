#!/bin/bash
. "$(dirname "$0")/cli.sh"
# A FIFO, a socket or a device in a layer is not shown and hides nothing. A path that is too long can't be read at all.
# Each would be missing silently.

need python3 mkfifo
mkdir -p v/d s/d
echo v | tee v/x >v/d/file
mkfifo s/x s/d/pipe
python3 - <<'END_'
import os, socket
socket.socket(socket.AF_UNIX).bind("s/d/socket")
os.chdir("v")
for _ in range(25):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
open("file", "w").close()
END_
runs 1 "$PLYFS" check -l v:s
grep -q "s/x: warning: a FIFO is not shown, and hides nothing in lower layers; .* whiteout, .wh.x, in its place" err || fail "$(cat err)"
grep -q "s/d/pipe: warning: a FIFO is not shown" err || fail "$(cat err)"
grep -q "s/d/socket: warning: a socket is not shown" err || fail "$(cat err)"
grep -q "the path in the layer is longer than 4095 bytes" err || fail "$(cat err)"
runs 1 "$PLYFS" check --json -l v:s
python3 -c 'import json; found = json.load(open("out"))["findings"]; assert len(found) == 4, found'

# Its twin: a file that is shown, and a whiteout as overlayfs makes it, are not reported.
rm -rf v/ddd* s/x s/d
if mknod s/x c 0 0 2>/dev/null; then
	runs 0 "$PLYFS" check -l v:s
	! grep -q 'device' err || fail "$(cat err)"
fi
rm -f s/x
runs 0 "$PLYFS" check -l v:s
! [ -s err ] || fail "$(cat err)"

# What a layer has in .plyfs at the root is not shown either, nor is it a directory of another name; a rendered tree as a
# layer has one of its own.
mkdir -p own/.plyfs own/sub/.plyfs
echo 'x: 1' | tee own/.plyfs/x.yaml own/sub/.plyfs/y.yaml >own/.plyfsrc
runs 1 "$PLYFS" check -W -l v:own
says "own/.plyfs: warning: is not shown: '.plyfs' at the root is plyfs's own; give it another name"
prints '4 files: all merge, 1 warning'
for command in cat explain 'get x' ls; do
	read -ra words <<<"$command"
	runs 1 "$PLYFS" "${words[0]}" --layers v:own .plyfs/x.yaml ${words[1]:+x}
	says ".plyfs/x.yaml: not shown: '.plyfs' at the root is plyfs's own; give it another name"
done
runs 0 "$PLYFS" cat -l v:own sub/.plyfs/y.yaml
runs 0 "$PLYFS" ls -aR --layers v:own
! grep -q 'x.yaml' out && grep -q 'y.yaml' out || fail "$(cat out)"
runs 0 "$PLYFS" diff -l v -l v:own
! grep -q 'x.yaml' out && grep -q 'y.yaml' out || fail "$(cat out)"
"$PLYFS" render -l own tree >out
runs 0 "$PLYFS" check -W -l v:tree
runs 1 "$PLYFS" ls --layers v:tree .plyfs

# A command for such a name says what it is; a lower layer's file there shows all the same.
mkdir -p below above
mkfifo above/pipe above/both
echo 'a: 1' >below/both
for command in explain cat blame 'get pipe a'; do
	read -ra words <<<"$command pipe"
	runs 1 "$PLYFS" "${words[0]}" -l below:above pipe ${words[2]:+a}
	grep -q 'pipe: .*above/pipe is a FIFO, which is not shown' err || fail "$command: $(cat err)"
done
runs 0 "$PLYFS" cat -l below:above both
runs 1 "$PLYFS" cat -l below:above neither
grep -q 'neither: no layer has such a file' err || fail "$(cat err)"
