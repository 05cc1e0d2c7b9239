#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor policy site host
printf 'log: {level: info, file: a}\nport: 80\n' >vendor/app.yaml
printf 'log: {level: warning}\n' >policy/app.yaml
printf 'log: {level: debug, file: b}\nproxy: evil\n' >site/app.yaml
printf 'name: x\n' >host/app.yaml
settings() { printf 'layers: [vendor, policy, site, host]\noptions: {header: false}\n%s\n' "$1" >plyfs.yaml; }
settings 'rules: [{match: app.yaml, lock: {policy: [log.level, proxy]}}]'

# The values stay, and all else is as the layers have it.
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
prints $'log: {level: warning, file: b}\nport: 80\nname: x'

# Without the lock the values change.
settings 'rules: [{match: app.yaml}]'
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
prints $'log: {level: debug, file: b}\nport: 80\nproxy: evil\nname: x'
runs 0 "$PLYFS" check -c plyfs.yaml
settings 'rules: [{match: app.yaml, lock: {policy: [log.level, proxy]}}]'

# check fails, with both places of each attempt, though the file merges.
runs 1 "$PLYFS" check -c plyfs.yaml
prints '1 file: all merge, 2 errors'
grep -q "^plyfs: site/app.yaml:1:14: 'log.level' is not changed: the layer 'policy' locks it as policy/app.yaml:1:14 has it (the lock is at plyfs.yaml:3:43)" err ||
	fail "$(cat err)"
grep -q "^plyfs: site/app.yaml:2:8: 'proxy' is not changed: .* leaves it unset (the lock is at plyfs.yaml:3:54)" err ||
	fail "$(cat err)"

# explain names the lock and the attempt, also for a value that must stay unset.
runs 0 "$PLYFS" explain -c plyfs.yaml app.yaml log.level
grep -q '^log.level: warning .*policy *policy/app.yaml:1:14' out || fail "$(cat out)"
grep -q 'lost  debug .*site/app.yaml:1:14 *locked by policy (plyfs.yaml:3:43)' out || fail "$(cat out)"
grep -qx 'change it: plyfs set -L policy -c plyfs.yaml app.yaml log.level VALUE' out || fail "$(cat out)"
grep -q 'lost  info .*vendor/app.yaml:1:14' out || fail "$(cat out)"
runs 0 "$PLYFS" explain -c plyfs.yaml app.yaml proxy
grep -q '^proxy (gone) .*plyfs.yaml:3:54 *locked by policy' out || fail "$(cat out)"
runs 0 "$PLYFS" explain --json -c plyfs.yaml app.yaml
grep -q '"rule": "locked by policy"' out || fail "$(cat out)"

# So it does for the items of a list from the index on that must stay unset.
printf 'hosts: [a]\n' >vendor/list.yaml
printf 'hosts: [b, {c: 1}]\n' >site/list.yaml
for rule in 'lock: {policy: hosts.0}' 'lock: {policy: hosts.1}, options: {lists: append}'; do
	[ "$rule" != 'lock: {policy: hosts.0}' ] || echo 'hosts: []' >policy/list.yaml
	settings "rules: [{match: list.yaml, $rule}]"
	runs 0 "$PLYFS" explain -c plyfs.yaml list.yaml
	grep -A1 'gone' out | tail -n 4 | sed 's/  */ /g' >part
	place=plyfs.yaml:3:$(($(grep -o '.*policy: ' plyfs.yaml | wc -c)))
	case $rule in *hosts.0*) first=0 ;; *) first=1 ;; esac
	diff -u - part <<-end || fail "$rule: $(cat out)"
		hosts[$first] (gone) $place locked by policy
		 lost b site site/list.yaml:1:9
		hosts[$((first + 1))] (gone) $place locked by policy
		 lost {c: 1} site site/list.yaml:1:12
	end
	runs 0 "$PLYFS" explain -c plyfs.yaml list.yaml "hosts[$((first + 1))]"
	grep -q "^hosts\[$((first + 1))\] (gone) .*locked by policy" out || fail "$(cat out)"
	runs 0 "$PLYFS" explain --json -c plyfs.yaml list.yaml hosts
	grep -q '"removed": \[{"key": "hosts\['$first']",.* "rule": "locked by policy"' out || fail "$(cat out)"
	runs 1 "$PLYFS" set -L site -c plyfs.yaml list.yaml hosts '[c, d]'
	grep -q "'hosts.$first' is not changed: the layer 'policy' locks it" err || fail "$(cat err)"
	rm -f policy/list.yaml
done
settings 'rules: [{match: app.yaml, lock: {policy: [log.level, proxy]}}]'

# set, unset and edit refuse the change above the lock, and make it in the locking layer or below it.
before=$(cat */app.yaml)
runs 1 "$PLYFS" set -L host -c plyfs.yaml app.yaml log.level error
grep -q "'log.level' is not changed: the layer 'policy' locks it .* change it in 'policy'" err || fail "$(cat err)"
runs 1 "$PLYFS" unset -L host -c plyfs.yaml app.yaml log.level
grep -q "the layer 'policy' locks it" err || fail "$(cat err)"
runs 1 "$PLYFS" set -L site -c plyfs.yaml app.yaml proxy other
grep -q "'proxy' is not changed" err || fail "$(cat err)"
[ "$(cat */app.yaml)" = "$before" ] || fail 'a layer was changed'
runs 0 "$PLYFS" set -L host -c plyfs.yaml app.yaml log.file c
runs 0 "$PLYFS" set -L policy -c plyfs.yaml app.yaml log.level error
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
prints $'log:\n  level: error\n  file: c\nport: 80\nname: x'

# A single source above the lock is not shown as it is.
printf 'proxy: evil\nmtu: 1\n' >host/only.yaml
settings 'rules: [{match: only.yaml, lock: {policy: proxy}}]'
runs 0 "$PLYFS" cat -c plyfs.yaml only.yaml
prints 'mtu: 1'

# Drop-ins and virtual files belong to their layer.
mkdir host/app.yaml.d
printf 'port: 1\n' >host/app.yaml.d/10.yaml
settings 'rules: [{match: app.yaml, dropins: uapi, lock: {vendor: port}}]
files: [{path: all.yaml, from: ["app.yaml", "app.yaml.d/*"], lock: {vendor: port}}]'
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
! grep -q 'port' out || fail "$(cat out)"
runs 0 "$PLYFS" cat -c plyfs.yaml all.yaml
grep -qx 'port: 80' out || fail "$(cat out)"

# Mistakes.
settings 'rules: [{match: app.yaml, lock: {polcy: proxy}}]'
runs 1 "$PLYFS" cat -c plyfs.yaml app.yaml
grep -q "plyfs.yaml:3:34: unknown layer 'polcy' (did you mean 'policy'?\|plyfs.yaml:3:34: .*polcy.*vendor, policy, site, host" err || fail "$(cat err)"
settings 'rules: [{match: app.yaml, strategy: last, lock: {policy: proxy}}]'
runs 1 "$PLYFS" cat -c plyfs.yaml app.yaml
grep -q "'lock' is for values, and the strategy 'last' merges whole files" err || fail "$(cat err)"

# If there is no attempt, explain still says where the value can be changed; a value beside it can be changed anywhere.
printf 'a: 1\nb: {c: [1]}\nd: 1\n' >policy/free.yaml
echo 'e: 1' >host/free.yaml
settings 'rules: [{match: free.yaml, lock: {policy: [a, b.*]}}]'
changes() {
	runs 0 "$PLYFS" explain -c plyfs.yaml free.yaml "$1"
	grep -qxF "change it: plyfs set$2 -c plyfs.yaml free.yaml $3 VALUE" out || fail "$(cat out)"
}
changes a ' -L policy' a
changes 'b.c[0]' ' -L policy' "'b.c[0]'"
changes b ' -L policy' b
changes d '' d
changes e '' e

# A pillar's file in a higher layer that comes before the lower layer's file of the same name leaves the locked value.
mkdir -p vendor/data/sub host/data
echo '_merge: [x]' >vendor/pillar.yaml
echo 'port: 80' >vendor/data/sub/x.yaml
printf 'port: 81\nname: x\n' >host/data/x.yaml
settings 'rules: [{match: pillar.yaml, strategy: pillar, options: {data_path: data}, lock: {policy: port}}]'
runs 0 "$PLYFS" cat -c plyfs.yaml pillar.yaml
prints $'port: 80\nname: x'
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "host/data/x.yaml:1:7: 'port' is not changed: .* as vendor/data/sub/x.yaml:1:7 has it" err || fail "$(cat err)"
runs 0 "$PLYFS" explain --json -c plyfs.yaml pillar.yaml
grep -q '"file": "vendor/data/sub/x.yaml"' out || fail "$(cat out)"
mkdir host/data/sub
touch host/data/sub/.wh.x.yaml
runs 1 "$PLYFS" cat -c plyfs.yaml pillar.yaml
grep -q "values that the layer 'policy' locks are unknown, .* do not merge: there is no file 'x.yaml'" err || fail "$(cat err)"
rm host/data/sub/.wh.x.yaml

# A file with locked values that is hidden as a whole is an error; hide refuses to make the whiteout.
rm -rf vendor policy site host && mkdir -p vendor/sub policy site host/sub
echo 'a: 1' | tee vendor/k.yaml vendor/sub/k.yaml >policy/p.yaml
settings 'rules: [{match: "**/*.yaml", lock: {policy: a}}]'
runs 0 "$PLYFS" check -c plyfs.yaml
runs 1 "$PLYFS" hide -c plyfs.yaml k.yaml
says "k.yaml: can't be hidden: the layer 'policy' locks values in it (the lock is at "
rmdir host/sub
runs 1 "$PLYFS" hide -c plyfs.yaml sub
says "sub: can't be hidden: the layer 'policy' locks values in sub/k.yaml (the lock is at "
[ ! -e host/.wh.k.yaml ] && [ ! -e host/.wh.sub ] || fail 'the whiteout is made'
mkdir host/sub site/late
echo 'a: 2' >site/late/k.yaml
runs 0 "$PLYFS" hide -c plyfs.yaml late
rm -r host/.wh.late site/late
runs 0 "$PLYFS" hide -L policy -c plyfs.yaml k.yaml
runs 0 "$PLYFS" check -c plyfs.yaml
rm policy/.wh.k.yaml
finds() {
	runs 1 "$PLYFS" check -c plyfs.yaml
	grep -q "host/$1: hides .*$2, in which the layer 'policy' locks values (the lock is at .*plyfs.yaml:3:" out err ||
		fail "it says: $(cat out err)"
}
touch host/.wh.k.yaml && finds .wh.k.yaml vendor/k.yaml && rm host/.wh.k.yaml
ln -s ../evil host/k.yaml && finds k.yaml vendor/k.yaml && rm host/k.yaml
touch host/.wh.sub && finds .wh.sub vendor/sub/k.yaml && rm host/.wh.sub
touch host/sub/.wh..wh..opq && finds sub/.wh..wh..opq vendor/sub/k.yaml && rm host/sub/.wh..wh..opq
mkdir host/p.yaml && finds p.yaml policy/p.yaml && rmdir host/p.yaml
runs 0 "$PLYFS" check -c plyfs.yaml

# The lock is the reason also if the layer, or a higher one, has attempted to change the value already.
printf 'layers: [one, two, three]\nrules: [{match: t.yaml, lock: {one: [k, m]}}]\n' >twice.yaml
mkdir -p one two three
printf 'k: 1\nm: {x: 1}\n' >one/t.yaml
echo 'k: 2' >two/t.yaml
printf 'k: 3\nm: {x: 2}\n' >three/t.yaml
for change in 'unset -c twice.yaml t.yaml k' 'unset -c twice.yaml t.yaml m.x' 'set -L two -c twice.yaml t.yaml k 4'; do
	runs 1 "$PLYFS" $change
	grep -q "is not changed: the layer 'one' locks it" err || fail "$change: $(cat err)"
done

# If a higher layer sets the value, that is the reason, and not what another layer has attempted.
printf 'layers: [zero, one, two]\nrules: [{match: t.yaml, lock: {one: [k]}}]\n' >higher.yaml
mkdir -p zero && rm three/t.yaml
echo 'k: 0' >zero/t.yaml
runs 1 "$PLYFS" set -L zero -c higher.yaml t.yaml k 9
grep -q "one/t.yaml:1:4: the layer 'one' is higher and sets it" err || fail "$(cat err)"
