#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A change of a list in a lower layer never writes an item of a higher layer there: it is possible, or it is refused.
mkdir v s
cat >plyfs.yaml <<-'END2'
	layers: [v, s]
	rules:
	  - {match: unique.yaml, options: {lists: unique}}
	  - {match: append.yaml, options: {lists: append}}
	  - {match: prepend.yaml, options: {lists: prepend}}
	  - {match: key.yaml, options: {lists: {by: name}}}
	  - {match: tag.yaml}
	  - {match: salt.yaml, strategy: salt}
	  - {match: cloud.yaml, strategy: cloud-init}
	  - {match: cfengine.json, strategy: cfengine}
	  - {match: a.service, options: {lists: repeat}}
END2
refused() { # FILE LOWER HIGHER KEY VALUE
	printf '%s\n' "$2" >v/"$1"
	printf '%s\n' "$3" >s/"$1"
	cp v/"$1" before
	runs 1 "$PLYFS" set -L v -c plyfs.yaml "$1" "$4" "$5"
	grep -q "^plyfs: s/$1:.*the layer 's' is higher and sets it" err || fail "it says: $(cat err)"
	cmp v/"$1" before || fail "it becomes: $(cat v/"$1")"
	printf '#!/bin/sh\nexec sed -i "s/secret]/secret, new]/; s/^  *- secret$/&\\n  - new/; s/^- secret$/&\\n- new/" "$1"\n' >editor
	chmod +x editor
	EDITOR="$PWD/editor" "$PLYFS" edit -L v -c plyfs.yaml "$1" >out 2>err || :
	! grep secret v/"$1" || fail "it becomes: $(cat v/"$1")"
}
for mode in unique append; do
	refused $mode.yaml 'l: [v1]' 'l: [secret]' 'l[+]' new
done
refused tag.yaml 'l: [v1]' 'l: !unique [secret]' 'l[+]' new
refused key.yaml 'l: [{name: v1}]' 'l: [{name: secret}]' 'l[+]' '{name: new}'
refused key.yaml 'l: [{name: v1}]' 'l: [{name: s1}, {name: s2, secret: 1}]' 'l[name=s2].x' 1

# Items of lower layers, and those of the layer itself, may be copied.
printf 'l: [v1]\n' >v/unique.yaml
printf 'l: [s1]\n' >s/unique.yaml
runs 0 "$PLYFS" set -c plyfs.yaml unique.yaml 'l[+]' new
[ "$(cat s/unique.yaml)" = 'l: [s1, new]' ] || fail "it becomes: $(cat s/unique.yaml)"
printf 'l: [secret]\n' >s/prepend.yaml
printf 'l: [v1]\n' >v/prepend.yaml
runs 0 "$PLYFS" set -L v -c plyfs.yaml prepend.yaml 'l[+]' new
[ "$(cat v/prepend.yaml)" = 'l: [v1, new]' ] || fail "it becomes: $(cat v/prepend.yaml)"

# No other strategy copies one either.
other() { # FILE LOWER HIGHER KEY
	printf "$2" >v/"$1"
	printf "$3" >s/"$1"
	"$PLYFS" set -L v -c plyfs.yaml "$1" "$4" new >out 2>err || :
	! grep secret v/"$1" || fail "it becomes: $(cat v/"$1")"
}
other salt.yaml 'a:\n  l: [v1]\n' 'a:\n  l: [secret]\n' 'a.l[+]'
other cloud.yaml '#cloud-config\nl: [v1]\n' '#cloud-config\nmerge_how: list(append)+dict(recurse_list)\nl: [secret]\n' 'l[+]'
other cfengine.json '{"l": ["v1"]}\n' '{"l": ["secret"]}\n' 'l[+]'
other a.service '[Service]\nEnvironment=A=v\n' '[Service]\nEnvironment=B=secret\n' 'Service.Environment[+]'
