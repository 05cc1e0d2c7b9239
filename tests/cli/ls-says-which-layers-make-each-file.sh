#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor/conf.d vendor/old vendor/opaque/down site/opaque host/conf.d
printf 'a: 1\n' >vendor/app.yaml
printf 'a: 2\n' >site/app.yaml
printf 'q: 1\n' >vendor/conf.d/q.yaml
printf 'z: 1\n' >host/conf.d/z.yaml
echo one >vendor/logo
echo two >host/logo
echo same >vendor/same
echo same >host/same
echo file >vendor/zone
ln -s /x site/zone
ln -s /y host/zone
echo x >vendor/motd
: >site/.wh.motd
echo x >vendor/old/x
: >host/.wh.old
echo x >vendor/opaque/in
: >site/opaque/.wh..wh..opq
echo x >site/opaque/new
echo x >site/.dot
mkfifo host/pipe
list() { "$PLYFS" ls --layers vendor:site:host "$@"; }

# The names are those that a mount has, in the form of ls(1).
runs 0 "$PLYFS" render -q -l vendor:site:host tree
rm -rf tree/.plyfs*
for options in '' -R; do
	# shellcheck disable=SC2086
	runs 0 list $options
	# shellcheck disable=SC2086
	[ "$(cat out)" = "$(cd tree && ls $options)" ] || fail "ls $options prints: $(cat out)"
done
runs 0 list conf.d opaque
prints $'conf.d:\nq.yaml\nz.yaml\n\nopaque:\nnew'

# -l: how each is made.
runs 0 list -laR
prints '.:
unchanged   last  site         .dot
extended    deep  vendor:site  app.yaml
directory   -     vendor:host  conf.d/
overridden  last  host         logo  (hides vendor)
masked      -     vendor       motd  (hidden by site/.wh.motd)
masked      -     vendor       old/  (hidden by host/.wh.old)
directory   -     site         opaque/
equivalent  last  host         same  (hides vendor)
redirected  -     host         zone -> /y  (hides vendor:site)

./conf.d:
unchanged   deep  vendor       q.yaml
unchanged   deep  host         z.yaml

./opaque:
masked      -     vendor       down/  (hidden by site/opaque/.wh..wh..opq)
masked      -     vendor       in  (hidden by site/opaque/.wh..wh..opq)
unchanged   last  site         new'

# A filter, as systemd-delta has it; a directory is then only a heading.
runs 0 list -R --type masked,overridden
prints $'.:\nlogo\nmotd\nold\n\n./opaque:\ndown\nin'
runs 0 list -t extended conf.d
prints ''
runs 2 list -t gone
says "there is no type 'gone'; the types are unchanged, extended, overridden, equivalent, redirected, masked"
runs 2 list -t ''
says '--type is one or more of: unchanged'

runs 0 list --json -t extended,masked,redirected
prints '{"files": [
  {"path": "app.yaml", "kind": "file", "type": "extended", "strategy": "deep", "layers": ["vendor", "site"]},
  {"path": "motd", "kind": "file", "type": "masked", "layers": ["vendor"], "hidden_by": "site/.wh.motd"},
  {"path": "old", "kind": "directory", "type": "masked", "layers": ["vendor"], "hidden_by": "host/.wh.old"},
  {"path": "zone", "kind": "link", "type": "redirected", "layers": ["host"], "hides": ["vendor", "site"], "target": "/y"}
]}'

# A plyfs.yaml with the lowest first, and with drop-ins; a rendered tree in place of a mount.
mkdir -p vendor/app.yaml.d
printf 'b: 1\n' >vendor/app.yaml.d/1.yaml
cat >plyfs.yaml <<'END_OF_FILE'
layers: [vendor, site, host]
rules:
  - {match: logo, strategy: first}
  - {match: app.yaml, dropins: layers}
END_OF_FILE
runs 0 "$PLYFS" ls -c plyfs.yaml -l logo
prints 'overridden  first  vendor  logo  (hides host)'
runs 0 "$PLYFS" ls -c plyfs.yaml -l app.yaml
prints 'extended    deep  vendor:site  app.yaml'
runs 0 "$PLYFS" render -q -c plyfs.yaml whole
runs 0 "$PLYFS" ls -t redirected whole
prints zone
runs 0 env -C whole/conf.d "$PLYFS" ls
prints $'q.yaml\nz.yaml'

# Colours only on request here, and control characters as they are for a program.
runs 0 list --color always -t masked
grep -q $'^\033\\[31mmotd\033\\[0m$' out || fail "it prints: $(cat out)"
touch vendor/$'a\tb'
runs 0 list -t unchanged
grep -q $'^a\tb$' out || fail "it prints: $(cat out)"

runs 1 list nothing conf.d
says 'nothing: no layer has such a file'
prints $'conf.d:\nq.yaml\nz.yaml'
runs 1 list motd
says 'hidden by site/.wh.motd'
runs 2 "$PLYFS" ls -l vendor:site
says '-l is the long list here; give layers with --layers vendor:site'
runs 2 "$PLYFS" ls
says "'.' is not in a plyfs mount; give its layers with -c or --layers"

# A layer that can't be read is named; the rest is listed.
if [ "$(id -u)" -eq 0 ]; then
	need setpriv
	chmod 755 .
	chmod 700 host/conf.d
	runs 1 setpriv --reuid 1000 --regid 1000 --clear-groups "$PLYFS" ls --layers vendor:site:host conf.d
	says "host/conf.d: can't be listed: permission denied; allow it to the user who runs plyfs"
	prints q.yaml
fi
