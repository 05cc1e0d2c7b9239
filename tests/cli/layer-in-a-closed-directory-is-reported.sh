#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Other users can't reach the files in there, but a mount would show them.
mkdir -p secret/conf secret/more open/base
chmod 700 secret
echo 'a: 1' | tee secret/conf/app.yaml secret/more/app.yaml open/base/app.yaml >/dev/null
cat >open/plyfs.yaml <<'.'
layers: [base, ../secret/conf, ../secret/more]
.
told="$PWD/secret: warning: other users can't search this directory, but a mount shows them the layer"
runs 0 "$PLYFS" check -c open/plyfs.yaml
cat out err >all
[ "$(grep -cF "$told" all)" -eq 1 ]
grep -qF 'close the layer itself (chmod o-rx' all
runs 1 "$PLYFS" check --strict -c open/plyfs.yaml

# Not reported: all layers lie there, or every user may search the directory.
cp open/plyfs.yaml secret/plyfs.yaml
sed -i 's|base|../open/base|' secret/plyfs.yaml
runs 0 "$PLYFS" check -c secret/plyfs.yaml
! grep -F "$told" out err
chmod 755 secret
runs 0 "$PLYFS" check -c open/plyfs.yaml
! grep -F "$told" out err
