#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Prints the settings' findings of `check`, as "LINE:COLUMN: MESSAGE".
warned() {
	diff - <(sed -n 's/^plyfs: plyfs.yaml:\([^ ]*\) warning: /\1 /p' err) >&2 || fail 'not these warnings'
}

mkdir -p vendor/sub site/sub empty
cat >vendor/app.yaml <<'YAML'
users: [{name: a, x: 1}, {name: b}]
spec: {containers: [{name: c}]}
server: {tls: 1}
YAML
echo 'users: [{name: a, x: 2}]' >site/app.yaml
printf '[a]\nb = 1\n' >vendor/unit.conf

# Places, and keys of items.
cat >plyfs.yaml <<'YAML'
layers: [vendor, site]
rules:
  - match: ["app.yaml", "unused.*"]
    options:
      lists: {"*": replace, users: {by: nmae}, spec.contaners: {by: name}, "**.list": append}
      delete: {site: [server.tls, server.tsl], vendor: x}
    lock: {vendor: [spec, "spec.*.name", sepc.x], site: spec}
YAML
runs 1 "$PLYFS" check -W -c plyfs.yaml
warned <<'EOF2'
3: the rule for 'unused.*' matches no file; correct or remove it
5:41: the lists can't be matched by 'nmae': none of their items has it; correct the key, or give another mode
5:48: 'spec.contaners' in 'lists' has no effect: no file has a list there; correct the place, or remove it
5:76: '**.list' in 'lists' has no effect: no file has a list there; correct the place, or remove it
6:35: 'server.tsl' in 'delete' has no effect: no file of the layer 'site' has a value there in a lower layer; correct the place, or remove it
6:56: 'x' in 'delete' has no effect: no file of the layer 'vendor' has a value there in a lower layer; correct the place, or remove it
7:27: the lock of 'spec.*.name' has no effect yet: no file has a value there; correct the place if another one is meant
7:42: the lock of 'sepc.x' has no effect yet: no file has a value there; correct the place if another one is meant
7:51: the lock of the layer 'site' has no effect: there is no layer above it; remove it
EOF2
runs 0 "$PLYFS" check --json -c plyfs.yaml
[ "$(grep -o '"message": "[^"]*\(effect\|nmae\|matches no file\)' out | wc -l)" -eq 9 ] || fail "$(cat out)"

# Settings that have an effect somewhere, in any file, layer or drop-in.
mkdir -p site/app.yaml.d
echo 'list: [{id: 1}]' >site/app.yaml.d/10.yaml
cat >plyfs.yaml <<'YAML'
layers: [vendor, site]
rules:
  - match: "*.yaml"
    dropins: layers
    options:
      lists: {"**": append, users: {by: name}, "spec.*": {by: [key, name]}, list: {by: id}}
      delete: {site: server.tls}
    lock: {vendor: ["spec.*.0.name", "**.containers"]}
files:
  - {path: all.conf, from: "*.conf", format: ini, options: {lists: {"a.b": repeat}}}
YAML
runs 0 "$PLYFS" check -W -c plyfs.yaml
sed -i 's/a\.b/a.c/' plyfs.yaml
runs 0 "$PLYFS" check -c plyfs.yaml
warned <<<"10:69: 'a.c' in 'lists' has no effect: no file has a list or a text there; correct the place, or remove it"
# No finding depends on the content of a broken file, or of a part of the tree.
runs 0 "$PLYFS" check -W -c plyfs.yaml app.yaml
sed -i '/^files/,$d; s/list: {by: id}/later: append/' plyfs.yaml
echo 'later: [' >vendor/b.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
warned </dev/null
rm -r vendor/b.yaml site/app.yaml.d

# Presets, and layers that have a name.
cat >plyfs.yaml <<'YAML'
layers:
  - {name: vendor, path: vendor}
  - {name: nothing, path: empty}
  - {name: host, path: nowhere, optional: true}
  - site
presets: [podman, docker]
YAML
PLYFS_PRESETS=$(realpath "$(dirname "$0")/../../data/presets")
export PLYFS_PRESETS
printf 'a = 1\n' >site/registries.conf
mkdir empty/.git
runs 0 "$PLYFS" check -c plyfs.yaml
warned <<'EOF2'
6:19: the preset 'docker' has no effect: it matches no file; 'plyfs presets docker' shows its patterns
3:27: the layer 'nothing' has no effect: there is no file in 'empty'; put one there, or leave the layer out
EOF2
touch empty/.wh.registries.conf
mkdir vendor/docker
echo '{}' >vendor/docker/daemon.json
echo 'rules: [{match: "docker/*", strategy: last}]' >>plyfs.yaml
runs 0 "$PLYFS" check -c plyfs.yaml
warned <<<"6:19: the preset 'docker' has no effect: the files that it matches have a rule above it, or are virtual; remove it"
rm -r vendor/docker empty/.wh.registries.conf site/registries.conf

# Names that differ by little, unless one layer has both.
echo 'layers: [vendor, site, empty]' >plyfs.yaml
for name in site/sub/x.yml vendor/sub/x.yaml vendor/y.json empty/y.jsonc vendor/Motd site/motd site/both.yml \
	site/both.yaml vendor/both.yml site/z.service vendor/z.socket site/w.conf empty/w.cnf; do
	echo '{}' >$name
done
rm vendor/unit.conf
runs 0 "$PLYFS" check -c plyfs.yaml
diff - <(grep 'names differ' err) >&2 <<'EOF2' || fail 'not these warnings'
plyfs: site/motd: warning: is not merged with vendor/Motd, as their names differ; give one of them the name of the other if they are meant to be one
plyfs: site/sub/x.yml: warning: is not merged with vendor/sub/x.yaml, as their names differ; give one of them the name of the other if they are meant to be one
plyfs: empty/w.cnf: warning: is not merged with site/w.conf, as their names differ; give one of them the name of the other if they are meant to be one
plyfs: empty/y.jsonc: warning: is not merged with vendor/y.json, as their names differ; give one of them the name of the other if they are meant to be one
EOF2

# A layer that is listed twice, also by another path.
ln -s vendor same
echo 'layers: [vendor, {name: again, path: same}]' >plyfs.yaml
runs 0 "$PLYFS" check -c plyfs.yaml
grep -q "plyfs.yaml:1:[0-9]*: warning: the layer 'again' has no effect: its directory is that of 'vendor'; " err || fail "$(cat err)"

# A setting for commands, or for versions, where there are none.
mkdir -p versions
echo 'a: 1' >versions/app.yaml
echo 'a = 1' | tee versions/app.ini >versions/app.toml
cat >versions.yaml <<'END_'
layers: [versions]
rules:
- {match: app.ini, yaml: "1.2", timeout: 5s}
- {match: app.yaml, toml: "1.0", user: nobody}
- {match: app.toml, toml: "1.0"}
END_
runs 0 "$PLYFS" check -c versions.yaml
cp err all
for line in "3: warning: 'yaml' has no effect: none of the files of this rule is YAML; remove it" \
	'3:42: warning: a user or a timeout has no effect' \
	"4: warning: 'toml' has no effect: none of the files of this rule is TOML; remove it" \
	'4:40: warning: a user or a timeout has no effect'; do
	grep -qF "versions.yaml:$line" all || fail "no '$line' in: $(cat all)"
done
[ "$(grep -c warning all)" -eq 4 ] || fail "$(cat all)"
cat >versions.yaml <<'END_'
layers: [versions]
rules:
- {match: "app.*", yaml: "1.2", toml: "1.0", check: [cat, "%f"], user: nobody, timeout: 5s}
END_
runs 0 "$PLYFS" check -c versions.yaml
! grep warning err || fail "what has an effect is reported"
