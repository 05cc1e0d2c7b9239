#!/bin/bash
# New content waits until it is judged. But a user who may no longer read its source can't read the version that is
# shown meanwhile.
. "$(dirname "$0")/mount.sh"

chmod 711 .
cat >plyfs.yaml <<YAML
layers: [low, high]
rules:
  - {match: "*.yaml", check: [sh, -c, 'until [ -e $PWD/go ]; do sleep 0.02; done', sh, "%f"], timeout: 60s}
YAML
touch go
echo 'a: 1' >low/app.yaml
echo 'b: 1' >high/app.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1'
[ "$(stat -c %a mnt/app.yaml)" = 444 ] || fail "the mode is $(stat -c %a mnt/app.yaml)"

rm go
echo 'b: 2' >staged
chmod 600 staged
mv staged high/app.yaml
has_mode() { [ "$(stat -c %a mnt/app.yaml)" = "$1" ]; }
eventually has_mode 400 || fail "the mode is still $(stat -c %a mnt/app.yaml)"
is mnt/app.yaml $'a: 1\nb: 1' || fail "what is not judged is shown: $(cat mnt/app.yaml)"
touch go
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
has_mode 400 || fail "the mode is $(stat -c %a mnt/app.yaml)"

# The twin: a right that is given comes with the content for which it is given.
rm go
echo 'b: 3' >staged
chmod 644 staged
mv staged high/app.yaml
sleep 0.5
has_mode 400 || fail "it is shown to more before it is judged"
is mnt/app.yaml $'a: 1\nb: 2' || fail "what is not judged is shown: $(cat mnt/app.yaml)"
touch go
comes_to_show mnt/app.yaml $'a: 1\nb: 3'
has_mode 444 || fail "the mode is $(stat -c %a mnt/app.yaml)"
