#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A secret of a lower layer, which its own mode denies to other users, and so does the merge.
need_root
need setpriv
as_user() { setpriv --reuid=12345 --regid=12345 --clear-groups "$@"; }

chmod 755 .
mkdir low/closed
chmod 700 low/closed
echo 'password: secret' | tee low/closed/app.yaml >low/app.yaml
echo 'password: other' | tee high/app.yaml >/dev/null
chmod 600 low/app.yaml
start
grep -q secret mnt/.plyfs/origins/app.yaml
grep -q secret mnt/.plyfs/origins/closed/app.yaml

[ "$(stat -c %a mnt/.plyfs/origins mnt/.plyfs/origins/closed/app.yaml)" = $'500\n400' ]

# Also after root has read the origins, when the kernel knows the names.
exec 3<mnt/.plyfs/origins/app.yaml
for path in . app.yaml closed closed/app.yaml; do
	fails_with 'Permission denied' as_user cat "mnt/.plyfs/origins/$path"
	fails_with 'Permission denied' as_user ls "mnt/.plyfs/origins/$path"
done
exec 3<&-

# The command reads with the rights of its caller.
explain mnt/app.yaml password | grep -q secret
code=0
as_user "$PLYFS" explain "$PWD/mnt/app.yaml" >out 2>err || code=$?
[ $code -eq 1 ]
! grep -q secret out err
grep -q 'ermission denied' err
