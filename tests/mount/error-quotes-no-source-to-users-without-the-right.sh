#!/bin/bash
. "$(dirname "$0")/mount.sh"

# The message about a source quotes it, and a drop-in among the sources may be closed to other users.
need_root
need setpriv getfattr
as_user() { setpriv --reuid=12345 --regid=12345 --clear-groups "$@"; }
error_as_user() { as_user getfattr --absolute-names --only-values -n user.plyfs.error "$1" 2>&1; }

chmod 755 .
cat >plyfs.yaml <<-END
	layers: [low, high]
	rules: [{match: "*.yaml", strategy: deep, dropins: true}]
END
echo 'a: 1' >low/app.yaml
mkdir -m 700 low/app.yaml.d
echo 'b: *secret' >low/app.yaml.d/key.yaml
start -c plyfs.yaml mnt
fails_with 'Input/output error' cat mnt/app.yaml
[[ $(attribute mnt/app.yaml user.plyfs.error) == *low/app.yaml.d/key.yaml:1:*secret* ]] ||
	fail "root is told: $(attribute mnt/app.yaml user.plyfs.error)"
[[ $(error_as_user mnt/app.yaml) != *secret* ]] || fail "a stranger is told: $(error_as_user mnt/app.yaml)"
[[ $(as_user cat mnt/.plyfs/errors mnt/.plyfs/status) != *secret* ]] || fail "the status tells a stranger"

# A user who may read the file learns that there is an error, and who can see it.
printf 'c: [\n' | replace low/other.yaml
echo 'c: 1' >high/other.yaml
wrong() { [[ $(error_as_user mnt/other.yaml) == *"other.yaml: a source can't be used; root"* ]]; }
eventually wrong || fail "a stranger is told: $(error_as_user mnt/other.yaml)"
