#!/bin/bash
. "$(dirname "$0")/cli.sh"

cat >message.yaml <<-'end'
	Content-Type: multipart/mixed; boundary="b"
	MIME-Version: 1.0

	--b
	Content-Type: text/cloud-config

	#cloud-config
	a: 1
	--b--
end
printf '#cloud-config\nb: 2\n' >plain.yaml
"$PLYFS" merge -s cloud-init message.yaml >out 2>err || {
	grep -q 'built without GMime' err || fail "it says: $(cat err)"
	skip 'built without GMime'
}
grep -qx 'a: 1' out

# It is loaded with the first message, and not before.
! ldd "$PLYFS" | grep -i gmime || fail 'it is linked with GMime'
mkdir lib
echo 'no library' >lib/libgmime-3.0.so.0
export LD_LIBRARY_PATH=$PWD/lib
runs 0 "$PLYFS" merge -s cloud-init plain.yaml
runs 1 "$PLYFS" merge -s cloud-init plain.yaml message.yaml
grep -q '^plyfs: message.yaml:1: a MIME message, which is read with GMime, and that is not installed' err ||
	fail "it says: $(cat err)"
