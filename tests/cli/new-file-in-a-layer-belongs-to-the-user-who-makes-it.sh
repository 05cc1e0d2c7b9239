#!/bin/bash
. "$(dirname "$0")/cli.sh"
# Otherwise a lower layer's owner would own, or a lower layer's group could write, the source that is to overrule them.
[ "$(id -u)" -eq 0 ] || skip 'only root can give files away'

is() { [ "$(stat -c '%u:%g %a' "$1")" = "$2" ] || fail "$1 is $(stat -c '%u:%g %a' "$1"), not $2"; }
mkdir -p low/sub/deep high
cat >plyfs.yaml <<'END_'
layers: [low, high]
rules: [{match: "*.json", strategy: deep, dropins: layers}, {match: "*.txt", strategy: last}]
options: {header: false}
END_
put() {
	echo "$4" >"low/$1"
	chown "$2" "low/$1"
	chmod "$3" "low/$1"
}
put sub/deep/app.yaml 1001:1001 644 'a: 1'
put wide.yaml 1001:1001 6777 'a: 1'
put secret.yaml 1001:1002 640 'a: 1'
put denied.yaml 1001:1002 604 'a: 1'
put own.yaml 1001:0 640 'a: 1'
put drop.json 1001:1001 664 '{"a": 1, "b": 2}'
put whole.txt 1001:1001 664 'words'
chown 1001:1002 low/sub low/sub/deep
chmod 2770 low/sub
chmod 3777 low/sub/deep

set_() { runs 0 "$PLYFS" set -c plyfs.yaml "$@"; }
for name in sub/deep/app wide secret denied own; do set_ $name.yaml a 2; done
# Only the group can search low/sub, and so read the lower file.
is high/sub/deep/app.yaml '0:1002 640'
is high/sub '0:1002 750'
is high/sub/deep '0:0 755'
# Only its own user can write it, and it is never set-id. Every user who can read the lower file can read this one.
is high/wide.yaml '0:0 755'
is high/secret.yaml '0:1002 640'
is high/denied.yaml '0:1002 604'
is high/own.yaml '0:0 640'
# A drop-in, and a copy of a file that is shown whole.
runs 0 "$PLYFS" unset -c plyfs.yaml drop.json b
is high/drop.json.d/90-set.yaml '0:0 644'
cat >editor <<'END_'
#!/bin/sh
echo other >"$1"
END_
chmod +x editor
runs 0 env EDITOR="$PWD/editor" "$PLYFS" edit -c plyfs.yaml whole.txt
is high/whole.txt '0:0 644'

# One that overrides none has the rights that the user's umask leaves.
(umask 077 && set_ fresh/new.yaml a 1)
is high/fresh '0:0 700'
is high/fresh/new.yaml '0:0 600'
set_ fresh/other.yaml a 1
is high/fresh/other.yaml '0:0 644'

# A replaced source keeps its owner, group and mode.
chown 1003:1004 high/sub/deep/app.yaml
chmod 660 high/sub/deep/app.yaml
set_ sub/deep/app.yaml a 3
is high/sub/deep/app.yaml '1003:1004 660'

# A user who may not give it to the lower file's group makes it readable to that user alone.
command -v setpriv >/dev/null || skip 'setpriv is missing'
rm -r high
mkdir high
chown 2001:2001 high
chmod 755 .
chmod 644 low/secret.yaml low/denied.yaml
put other.yaml 2001:1002 640 'a: 1'
runs 0 setpriv --reuid 2001 --regid 2001 --clear-groups "$PLYFS" set -c plyfs.yaml other.yaml a 2
is high/other.yaml '2001:2001 600'
