#!/bin/bash
# A change of a layer is refused if a higher layer hides the file: the change would not show. So are
# a change that would go into a drop-in that the layer excludes, and one with which the merged file
# would exceed a limit.
. "$(dirname "$0")/cli.sh"

edit() { "$PLYFS" "$1" -L site -c plyfs.yaml "${@:2}"; }
files() { (find site host | sort && cat site/d/* site/*.yaml) 2>/dev/null || true; }

# refused PATH BY: no command changes the site's file, and each names what hides it.
refused() {
	local before remedy="change the layer 'host', or remove what hides it there"
	before=$(files)
	for command in "set $1 a=5" "set -n $1 a=5" "unset $1 a" "reset $1 a"; do
		# The layer may lack the file; then there is nothing to reset.
		[[ $command != reset* || -e site/$1 ]] || continue
		[[ $command != reset* ]] || remedy="to remove the layer's whole file: plyfs reset -L site $1"
		# shellcheck disable=SC2086 # several arguments
		runs 1 edit $command
		says "is hidden by $2, so a change of the layer 'site' would not show; $remedy"
	done
	# Where there is nothing to take back, nothing changes.
	runs 0 edit reset "$1" b
	prints 'nothing changes: the layer has no such file or value'
	runs 1 env VISUAL= EDITOR='cp vendor/app.yaml' "$PLYFS" edit -L site -c plyfs.yaml "$1" </dev/null
	grep -qF "is hidden by $2," err || fail "it says: $(cat err)"
	[ "$(files)" = "$before" ] || fail "the layers are now: $(files)"
}

prepare() {
	rm -rf vendor site host
	mkdir -p vendor/d site host
	printf 'a: 1\nb: 2\n' >vendor/app.yaml
	cp vendor/app.yaml vendor/d
}

echo 'layers: [vendor, site, host]' >plyfs.yaml
for has_file in '' yes; do
	prepare
	[ -z $has_file ] || echo 'a: 3' >site/app.yaml
	touch host/.wh.app.yaml
	refused app.yaml host/.wh.app.yaml
	# The higher layer may have a file of its own beside the mark.
	printf 'a: 4\nx: 1\n' >host/app.yaml
	refused app.yaml host/.wh.app.yaml
	rm host/.wh.app.yaml
	runs 0 edit set app.yaml b 5

	prepare
	[ -z $has_file ] || { mkdir site/d && echo 'a: 3' >site/d/app.yaml; }
	touch host/.wh.d
	refused d/app.yaml host/.wh.d
	rm host/.wh.d
	mkdir host/d
	touch host/d/.wh..wh..opq
	refused d/app.yaml host/d/.wh..wh..opq
	rm host/d/.wh..wh..opq
	runs 0 edit set d/app.yaml a 5
	runs 0 "$PLYFS" get -c plyfs.yaml d/app.yaml a
	prints 5
done

# What a reset proposes removes the file.
prepare
echo 'a: 3' >site/app.yaml
touch host/.wh.app.yaml
runs 1 edit reset app.yaml a
# One KEY of several is enough, and so is a file of which that can't be found out.
runs 1 edit reset app.yaml a b
echo 'a: [1' >site/app.yaml
runs 1 edit reset app.yaml b
runs 0 edit reset app.yaml
[ ! -e site/app.yaml ] || fail 'the hidden file is still there'

# A reset takes nothing back of a file that the layer excludes, or that is the source of a virtual file.
echo 'a: 3' | tee site/app.yaml >host/app.yaml
cat >plyfs.yaml <<'END'
layers: [vendor, {path: site, exclude: [app.yaml]}, host]
END
runs 0 edit reset app.yaml a
cat >plyfs.yaml <<'END'
layers: [vendor, site, host]
files: [{path: all.yaml, from: [app.yaml]}]
END
runs 0 edit reset all.yaml a
grep -qx 'a: 3' site/app.yaml || fail "site/app.yaml is: $(cat site/app.yaml)"

# Another host may show the change.
mkdir -p hosts/web1 hosts/web2
touch hosts/web1/.wh.app.yaml
rm host/.wh.app.yaml
echo 'layers: [vendor, site, {name: own, path: "hosts/%H"}]' >plyfs.yaml
runs 1 edit set -H web1 app.yaml a 5
says "change the layer 'own', or remove what hides it there, or choose another host (-H OTHER)"
runs 0 edit set -H web2 app.yaml a 5
echo 'layers: [vendor, site, host]' >plyfs.yaml

# A mark of the layer itself, or of a lower one, hides nothing of it.
prepare
touch vendor/.wh.app.yaml site/.wh.app.yaml
runs 0 edit set app.yaml a 5
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
prints 'a: 5'

# A drop-in for the directive is excluded.
prepare
cat >plyfs.yaml <<'END'
layers: [vendor, {path: site, exclude: ["*.d"]}, host]
rules:
  - {match: "*.json", dropins: layers}
END
echo '{"a": 1}' >vendor/app.json
echo '{"b": 1}' >site/app.json
runs 1 edit unset app.json a
says "app.json.d/90-set.yaml: is excluded from the layer 'site'"
[ ! -e site/app.json.d ] || fail 'the excluded drop-in was made'

# The merged file would exceed a limit, and so not be shown any more.
printf -v long '%0700d' 0
for limit in 'nodes: 5' 'result: 1K'; do
	rm -rf vendor site
	mkdir vendor site
	echo "{layers: [vendor, site], options: {limits: {$limit}}}" >plyfs.yaml
	echo "a: x$long" >vendor/app.yaml
	runs 0 edit set app.yaml b 1
	for option in '' -n; do
		# shellcheck disable=SC2086 # none, or one option
		runs 1 edit set $option app.yaml "c=x$long"
		[[ $(cat err) == 'plyfs: '*'with this change '*"raise the limit '${limit%:*}'" ]] || fail "$(cat err)"
	done
	[ "$(cat site/app.yaml)" = 'b: 1' ] || fail "site/app.yaml is: $(cat site/app.yaml)"
	runs 0 edit set app.yaml b 2
	runs 0 edit reset app.yaml b
done
# A reset shows the values of lower layers again.
printf "%s: x$long\n" a b >vendor/app.yaml
printf 'c: 3\nb: !delete\n' >site/app.yaml
runs 1 edit reset app.yaml b
[[ $(cat err) == 'plyfs: '*'with this change '*"raise the limit 'result'" ]] || fail "$(cat err)"

# What can be merged can be changed, however many values the aliases of all sources stand for.
rm -rf vendor site host
mkdir vendor site host
echo 'layers: [vendor, site, host]' >plyfs.yaml
{
	echo 'base: &b'
	printf ' k%d: 1\n' {1..1000}
	echo 'all:'
	printf ' x%d: *b\n' {1..450}
} | tee vendor/app.yaml host/app.yaml >site/app.yaml
runs 0 edit set app.yaml z 1
grep -qx 'z: 1' site/app.yaml || fail 'site/app.yaml has no z'
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
