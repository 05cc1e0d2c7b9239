#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need python3 setpriv
rights=$(dirname "$test_file")/made_rights.py
export PYTHONDONTWRITEBYTECODE=1 # Python would write a file beside an imported module.
chmod 755 "$directory"

# The program that the files are for is of group 2001.
as_daemon() { setpriv --reuid 1003 --regid 2001 --clear-groups "$@"; }
as_other() { setpriv --reuid 1003 --regid 2002 --clear-groups "$@"; }
rights_are() { [ "$(stat -c '%u:%g %a' "$1")" = "$2" ]; }
comes_to_have() { eventually rights_are "$@" || fail "$1 is $(stat -c '%u:%g %a' "$1"); and not: $2"; }
mkdir -p low/app.yaml.d
echo 'a: 1' >low/app.yaml
echo 'b: 1' >low/app.yaml.d/10.yaml
echo 'a: 1' >low/two.yaml
echo 'b: 1' >high/two.yaml
chgrp 2001 low/app.yaml low/app.yaml.d/10.yaml low/two.yaml
chmod 640 low/app.yaml low/app.yaml.d/10.yaml low/two.yaml
cat >plyfs.yaml <<-END
	layers: [low, high]
	options: {header: false}
	rules: [{match: app.yaml, dropins: true}]
END
start -c plyfs.yaml mnt
comes_to_have mnt/app.yaml '0:2001 440'
comes_to_have mnt/two.yaml '0:2001 440'
shows mnt/app.yaml $'a: 1\nb: 1'
as_daemon cat mnt/app.yaml mnt/two.yaml >/dev/null
fails_with 'Permission denied' as_other cat mnt/app.yaml

# A directory that is open to all does not decide the file's owner or group, either.
chmod 644 low/app.yaml low/app.yaml.d/10.yaml
comes_to_have mnt/app.yaml '0:2001 444'
chmod 640 low/app.yaml low/app.yaml.d/10.yaml
# Two groups: no mode lets only the members of both in.
chgrp 2002 low/app.yaml.d/10.yaml
comes_to_have mnt/app.yaml '0:0 400'
fails_with 'Permission denied' as_daemon cat mnt/app.yaml

# A layer's own directory is part of the mountpoint.
chgrp 2001 high
chmod 750 high
comes_to_have mnt '0:2001 550'
as_daemon cat mnt/two.yaml >/dev/null
fails_with 'Permission denied' as_other ls mnt
stop

rm -r low high
mkdir low high
python3 "$rights" make
start -c plyfs.yaml mnt
python3 "$rights" check || fail "rights are not what the sources give, see above"
