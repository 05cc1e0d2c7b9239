#!/bin/bash
. "$(dirname "$0")/cli.sh"
# If a new source would not count, or would hide others, none is made.

tells() { grep -qF -- "$1" err || fail "it says: $(cat err); and not: $1"; }
mkdir -p low/sub high/l.json.d
cat >plyfs.yaml <<'END'
layers:
  - low
  - {path: high, exclude: [ex.yaml]}
rules:
  - {match: u.yaml, dropins: uapi}
  - {match: l.json, dropins: layers}
files:
  - {path: all.yaml, from: "conf.d/*.yaml"}
END
refused() {
	local text=$1
	shift
	runs 1 "$PLYFS" "$@"
	tells "$text"
}
printf 'a: 1\nb: 2\n' | tee low/u.yaml low/ex.yaml >/dev/null
# A main file would hide that of the other layer, so the new source is a drop-in, and comes last.
runs 0 "$PLYFS" set -c plyfs.yaml u.yaml b 3
[ "$(grep -v '^#' high/u.yaml.d/90-set.yaml)" = 'b: 3' ] && [ ! -e high/u.yaml ] || fail "there is: $(find high)"
rm -r high/u.yaml.d
refused "is excluded from the layer 'high', so a change would not show; change the layer's 'exclude' in plyfs.yaml" set -c plyfs.yaml ex.yaml b 3
refused "has none yet" set -c plyfs.yaml all.yaml b 3
# A name that never shows: a whiteout would hide the file u.yaml.
for name in .wh.u.yaml .wh.d/x.yaml d/.wh.x.yaml .plyfs/x.yaml; do
	refused "is never shown: '.wh.' begins the name of a whiteout" set -c plyfs.yaml $name b 3
done
echo 'x: 1' >typed
TMPDIR=$PWD EDITOR='cp typed' refused 'is never shown' edit -c plyfs.yaml .wh.u.yaml
runs 0 "$PLYFS" set -L low -c plyfs.yaml u.yaml b 3
[ "$(cat low/u.yaml)" = $'a: 1\nb: 3' ]
[ "$(find high -type f)" = '' ] || fail "there is: $(find high -type f)"

# Among drop-ins its name decides its place.
echo '{"a":1,"b":2}' >low/l.json
echo '{"b":7}' >high/l.json.d/10-x.json
runs 0 "$PLYFS" unset -c plyfs.yaml l.json b
[ -e high/l.json.d/90-set.yaml ] || fail "there is: $(find high)"
runs 0 "$PLYFS" cat -c plyfs.yaml l.json
! grep -q '"b"' out || fail "it is there: $(cat out)"
rm high/l.json.d/*
echo '{"b":7}' >high/l.json.d/99-x.json
refused '' unset -c plyfs.yaml l.json b
[ "$(ls high/l.json.d)" = 99-x.json ] || fail "there is: $(ls high/l.json.d)"

# Only in the layer.
mkdir outside
echo 'a: 1' >low/sub/x.yaml
ln -s ../outside high/sub
printf 'layers: [low, {path: high, follow: true}]\n' >plyfs.yaml
refused "outside of the layer 'high'; change it there" set -c plyfs.yaml sub/x.yaml b 2
refused "outside of the layer 'high'; change it there" set -c plyfs.yaml sub/more/y.yaml b 2
[ -z "$(ls outside)" ] || fail "there is: $(find outside)"
mkdir high/inside
ln -sfn inside high/sub
runs 0 "$PLYFS" set -c plyfs.yaml sub/x.yaml b 2
[ "$(cat high/inside/x.yaml)" = 'b: 2' ]
runs 0 "$PLYFS" set -c plyfs.yaml sub/more/y.yaml b 2
[ "$(cat high/inside/more/y.yaml)" = 'b: 2' ]

# A link that leads nowhere is not replaced; the remedy works.
ln -s x.yaml high/inside/nowhere.yaml
rm high/inside/x.yaml
echo 'a: 1' >low/sub/nowhere.yaml
for option in -n ''; do
	refused "the layer 'high' has a link that leads nowhere there; to remove it: plyfs reset -L high sub/nowhere.yaml" \
		set $option -c plyfs.yaml sub/nowhere.yaml a 2
done
runs 0 "$PLYFS" reset -c plyfs.yaml -L high sub/nowhere.yaml
runs 0 "$PLYFS" set -c plyfs.yaml sub/nowhere.yaml a 2
[ "$(cat high/inside/nowhere.yaml)" = 'a: 2' ]

# Nor is any other object that the lookup does not show, as a higher layer has the file.
mkdir upper
echo 'a: 1' >upper/object.yaml
look=(-c upper.yaml -L high object.yaml)
for follow in false true; do
	printf 'layers: [{path: high, follow: %s}, upper]\n' $follow >upper.yaml
	mkdir high/object.yaml
	for option in -n ''; do
		refused "object.yaml: the layer 'high' has a directory there, so it can't have the file; name another layer (--layer)" set $option "${look[@]}" b 2
	done
	rmdir high/object.yaml
	for option in -n ''; do
		ln -sfn inside high/object.yaml
		refused "object.yaml: the layer 'high' has a link there; to remove it: plyfs reset -L high object.yaml" \
			set $option "${look[@]}" b 2
	done
	runs 0 "$PLYFS" reset "${look[@]}"
	runs 0 "$PLYFS" set "${look[@]}" b 2
	[ "$(cat high/object.yaml)" = 'b: 2' ]
	rm high/object.yaml
done

# It may get values of any other source: a user who can't read one of them can't read it.
mkdir -p top middle/d low/d
for name in secret.yaml d/x.yaml; do
	echo 'tokens: [secret, b]' >low/$name
	echo 'a: 1' >middle/$name
	chmod 600 low/secret.yaml
	chmod 700 low/d
	runs 0 "$PLYFS" set -l low:middle:top $name 'tokens[1]' c
	[ "$(cat top/$name)" = 'tokens: [secret, c]' ] && [ "$(stat -c %a top/$name)" = 600 ] ||
		fail "$name: $(stat -c %a top/$name), $(cat top/$name)"
done

# One that is there gets none of a source that is closed to users who may read it.
mkdir open
printf '#!/bin/sh\nexec sed -i s/b]/c]/ "$1"\n' >editor
chmod +x editor
export EDITOR=$PWD/editor
for name in secret.yaml d/x.yaml; do
	mkdir -p "$(dirname open/$name)"
	printf 'a: 1\nlist: [{k: 1}]\n' >open/$name
	for command in "set -l low:open $name tokens[1] c" "set -n -l low:open $name tokens[1] c" "edit -l low:open $name"; do
		refused "open/$name: would get values of low/$name" $command
		grep -q 'list: \[{k: 1}\]' open/$name && ! grep -q secret open/$name || fail "$name: $(cat open/$name)"
	done
	runs 0 "$PLYFS" set -l low:open $name a 2
	runs 0 "$PLYFS" set -l low:open $name 'tokens' '[d, e]'
	runs 0 "$PLYFS" set -l low:open $name 'tokens[1]' f
	[ "$(grep tokens open/$name)" = 'tokens: [d, f]' ] || fail "it becomes: $(cat open/$name)"
	runs 0 "$PLYFS" reset -l low:open $name tokens
	chmod 600 open/$name
	runs 0 "$PLYFS" set -l low:open $name 'tokens[1]' c
	grep -q 'tokens: .*\[secret, c\]' open/$name || fail "it becomes: $(cat open/$name)"
done

# Nor does it if a key that comes once becomes a list, or if an item moves.
printf '[s]\nkey = secret\n' >low/g
printf 'u:\n- {n: a, pw: s1}\n- {n: b, pw: s2, x: 1}\n' >low/moved.yaml
chmod 600 low/g low/moved.yaml
printf '[t]\na=1\n' >open/g
echo 'z: 1' >open/moved.yaml
printf 'layers: [low, open]\nrules:\n  - {match: g, format: git}\n  - {match: app.yaml, options: {lists: append}}\n' >plyfs.yaml
refused 'open/g: would get values of low/g' set -c plyfs.yaml g 's.key[+]' new
[ "$(cat open/g)" = $'[t]\na=1' ] || fail "it becomes: $(cat open/g)"
printf '#!/bin/sh\nexec sed -i "/pw: s1/d; s/x: 1/x: 2/" "$1"\n' >editor
refused 'open/moved.yaml: would get values of low/moved.yaml' edit -c plyfs.yaml moved.yaml
[ "$(cat open/moved.yaml)" = 'z: 1' ] || fail "it becomes: $(cat open/moved.yaml)"

# Nor does it if the same value still shows at another place.
printf 'u: [{pw: secret, x: 1}]\nv: {pw: secret}\n' >low/twice.yaml
chmod 600 low/twice.yaml
echo 'z: 1' >open/twice.yaml
refused 'open/twice.yaml: would get values of low/twice.yaml' set -c plyfs.yaml twice.yaml 'u[0].x' 2

# Nor does it if a document before the changed one goes.
printf 'kind: A\n---\nkind: B\nl: [secret, x]\n' >low/docs.yaml
printf 'kind: C\n' >open/docs.yaml
chmod 600 low/docs.yaml
echo '  - {match: docs.yaml, options: {documents: {by: [kind]}}}' >>plyfs.yaml
printf '#!/bin/sh\nexec sed -i "/^kind: A/,/^---/d; s/, x/, y/" "$1"\n' >editor
refused 'open/docs.yaml: would get values of low/docs.yaml' edit -c plyfs.yaml docs.yaml
[ "$(cat open/docs.yaml)" = 'kind: C' ] || fail "it becomes: $(cat open/docs.yaml)"

# Nor does it if an alias shows the same value at another place.
closed() {
	printf '%s\n' "$2" >low/$1
	chmod 600 low/$1
	echo 'z: 1' >open/$1
	refused "open/$1: would get values of low/$1" set -c plyfs.yaml $1 "$3" 2
	[ "$(cat open/$1)" = 'z: 1' ] || fail "it becomes: $(cat open/$1)"
}
closed al.yaml $'a: &l [secret, x]\nb: *l' 'b[1]'
closed al.yaml $'x: &s secret\nl: [*s, b]' 'l[1]'
closed al.yaml $'base: &l {pw: secret}\nb: [{<<: *l, x: 1}]' 'b[0].x'

# Nor does it if the target's format writes it in another notation.
mkdir low/g.d low/a.service.d low/j.json.d
echo '  - {match: [a.service, j.json], dropins: layers}' >>plyfs.yaml
sed -i 's/format: git}/format: git, dropins: layers}/' plyfs.yaml
rm low/g
echo 's: {key: [123456, 2]}' >low/g.d/x.yaml
echo 'Service: {Environment: [123456, A=2]}' >low/a.service.d/x.yaml
echo 'k: [0x11, 2]' >low/j.json.d/x.yaml
echo '{"a": 1}' >open/j.json
printf '[Unit]\nDescription=x\n' >open/a.service
chmod 600 low/*.d/x.yaml
refused 'open/g: would get values of low/g.d/x.yaml' set -L open -c plyfs.yaml g 's.key[1]' 5
refused 'open/a.service: would get values of low/a.service.d/x.yaml' \
	set -L open -c plyfs.yaml a.service 'Service.Environment[1]' A=5
refused 'open/j.json: would get values of low/j.json.d/x.yaml' set -L open -c plyfs.yaml j.json 'k[1]' 5

# A value that others have elsewhere is not theirs.
printf 'web: {enabled: true, proto: udp, replicas: 3}\ndns: {proto: tcp}\n' >low/same.yaml
chmod 600 low/same.yaml
for values in 'web.enabled=false new.enabled=true' 'web.proto=tcp dns.proto=udp'; do
	echo 'z: 1' >open/same.yaml
	runs 0 "$PLYFS" set -c plyfs.yaml same.yaml $values
done
echo 'z: 1' >open/same.yaml
printf '#!/bin/sh\nsed -i "s/replicas: 3/replicas: 5/" "$1"\nprintf "db:\\n  replicas: 3\\n" >>"$1"\n' >editor
runs 0 "$PLYFS" edit -c plyfs.yaml same.yaml
[ "$(cat open/same.yaml)" = $'z: 1\nweb:\n  replicas: 5\ndb:\n  replicas: 3' ] || fail "it becomes: $(cat open/same.yaml)"

# A new item may have a value that another has, and shows.
echo 'u: [{n: a, shell: sh}]' >low/app.yaml
echo 'u: [{n: b, shell: ksh}]' >open/app.yaml
chmod 600 low/app.yaml
runs 0 "$PLYFS" set -c plyfs.yaml app.yaml 'u[+]' '{n: c, shell: sh}'
[ "$(cat open/app.yaml)" = 'u: [{n: b, shell: ksh}, {n: c, shell: sh}]' ] || fail "it becomes: $(cat open/app.yaml)"

# An item that goes may have had a value that the layer has, too.
echo '  - {match: by.yaml, options: {lists: {by: n}}}' >>plyfs.yaml
echo 'u: [{n: a, shell: sh}]' >low/by.yaml
echo 'u: [{n: b, shell: sh}]' >open/by.yaml
chmod 600 low/by.yaml
runs 0 "$PLYFS" unset -c plyfs.yaml by.yaml 'u[n=a]'
! "$PLYFS" get -c plyfs.yaml by.yaml 'u[n=a]' 2>err || fail "it becomes: $(cat open/by.yaml)"

# Its rights are those of the source that it replaces or overrides, and none that its directory hands on.
need python3
rm high/sub
cat >list.py <<'END'
import os, struct, sys
every = 0xffffffff
entries = [(1, 7, every), (2, 7, 65534), (4, 5, every), (16, 7, every), (32, 5, every)]
try:
    os.setxattr(sys.argv[1], "system.posix_acl_default",
                struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries))
except OSError:
    sys.exit(1)
END
python3 list.py high || skip 'there are no access lists here'
echo 'p: 1' | tee low/new.yaml low/old.yaml >/dev/null
touch high/old.yaml
python3 -c 'import os; os.removexattr("high/old.yaml", "system.posix_acl_access")'
echo 'p: 1' >high/old.yaml
chmod 640 low/new.yaml low/old.yaml high/old.yaml
for name in old new; do
	runs 0 "$PLYFS" set -l low:high $name.yaml p 2
	[ "$(cat high/$name.yaml)" = 'p: 2' ]
	[ "$(stat -c %a high/$name.yaml)" = 640 ] || fail "$name: $(stat -c %a high/$name.yaml)"
	python3 -c 'import os, sys; sys.exit("system.posix_acl_access" in os.listxattr(sys.argv[1]))' high/$name.yaml ||
		fail "$name has the list of its directory"
done
