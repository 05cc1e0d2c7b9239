#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
get() { "$PLYFS" get -l vendor:site "$@"; }
set_() { "$PLYFS" set -l vendor:site "$@"; }
unset_() { "$PLYFS" unset -l vendor:site "$@"; }
has() { # FILE VALUE KEY...: each KEY names that value
	local file=$1 value=$2 key
	shift 2
	for key; do
		runs 0 get "$file" "$key"
		prints "$value"
		# The other commands understand them the same way.
		runs 0 "$PLYFS" explain -l vendor:site "$file" "$key"
		runs 0 set_ -n "$file" "$key" "$value"
		prints 'nothing changes: it is so already'
		runs 0 set_ -n -L vendor "$file" "$key" other
		[ "$(grep -c '^[-+][^-+]' out)" -eq 2 ] || fail "$key: $(cat out)"
		runs 0 unset_ -n -L vendor "$file" "$key"
	done
}
makes() { # FILE KEY TEXT: the new value comes to that place
	rm -f "site/$1"
	runs 0 set_ "$1" "$2" 5
	[ "$(tr '\n' '~' <"site/$1")" = "$3" ] || fail "$2 makes: $(cat "site/$1")"
	rm "site/$1"
}
refuses() { # FILE KEY MESSAGE
	runs 1 set_ "$1" "$2" 5
	says "$3"
	[ ! -e "site/$1" ] || fail 'a source was written'
}

# Dots, brackets, slashes and quotes may be letters of a name.
cat >vendor/settings.json <<'END_OF_FILE'
{
  "editor.fontSize": 12,
  "[python]": {
    "editor.tabSize": 4
  },
  "users": [
    {"name": "web", "port": 80}
  ],
  "@types/node": "1",
  "paths": {
    "/users": {"get": "g"}
  },
  "say \"x\"": 7
}
END_OF_FILE
has settings.json 12 editor.fontSize '"editor.fontSize"' '["editor.fontSize"]' 'editor\.fontSize' \
	'$.editor.fontSize' "\$['editor.fontSize']" .editor.fontSize
has settings.json 4 '[python].editor.tabSize' '["[python]"]["editor.tabSize"]'
has settings.json 1 @types/node '["@types/node"]'
has settings.json g paths./users.get 'paths["/users"].get'
has settings.json 7 'say "x"' '"say \"x\""'

# Path syntax of other tools.
has settings.json 80 'users[0].port' users.0.port 'users[name=web].port' 'users[name==web].port' \
	'users[name=="web"].port' 'users[?(@.name=="web")].port' "users[?(@.name == 'web')].port" \
	"users[?name=='web'].port" '$.users[0].port' '$.users[?(@.name=="web")].port' '.users[0]["port"]' \
	'.users.[0].port' '.["users"][0]["port"]' /users/0/port users/0/port
has settings.json g '/paths/~1users/get' '#/paths/~1users/get'
has settings.json 80 'users[?name==`web`].port' '{.users[0].port}' '{$.users[0].port}' '@.users[0].port' '#/users/0/port'
runs 2 get settings.json 'users[name!=web].port'
says 'write an item as [name=web]'
runs 2 get settings.json 'users[?(@.port>1)].port'
says 'write an item as [name=web]'
runs 2 get settings.json 'users[?(@.name!="web")].port'
says 'write an item as [name=web]'
for key in /a/0/b '/a~1b'; do
	refuses settings.json "$key" 'fits nothing'
done
refuses new.json /a/0/b "plyfs writes a path as 'a[0].b', and a name with a slash as '[\"/a/0/b\"]'"
refuses new.properties /a/b 'fits nothing'
refuses new.yaml a/b "plyfs writes a path as 'a.b'"
runs 1 get settings.json /users/1/port
says 'has no'
runs 1 unset_ settings.json /users/1/port
grep -q "there is no '/users/1/port'" err
refuses new.json '#/a/0/b' "plyfs writes a path as 'a[0].b', and a name with a slash as '[\"#/a/0/b\"]'"
# No name is made of the syntax of another tool.
for key in '.a|.b' 'a->b' '(a.b)' '`a.b`' '${a.b}' '{{ a.b }}' 'a.{b}' 'a.*' '*' 'a.**.b' 'a[*].b' 'a[-1]' 'a[0:1]' \
	'a[last].b'; do
	refuses new.yaml "$key" "the syntax of another tool"
done
refuses settings.json 'users:port' "'users:port', unless it is quoted, is the syntax of another tool"
refuses settings.json 'users[name!=web].port' 'write an item as [name=web]'
refuses settings.json '[rust].tabSize' 'quotes: ["rust"], or ["[rust]"] if the brackets belong to it'
makes new.yaml '"(a|b)".c' '(a|b):~  c: 5~'
makes new.yaml 'a["*"]' 'a:~  "*": 5~'
makes new.yaml '$schema' '$schema: 5~'
makes new.yaml 'a:b' 'a:b: 5~'
makes new.yaml '@.a.b' 'a:~  b: 5~'
makes new.yaml '{.a.b}' 'a:~  b: 5~'
makes new.properties 'a|b*' 'a|b*=5~'
makes new.yaml '["/a/b"]' '/a/b: 5~'
makes new.yaml '$.a.b' 'a:~  b: 5~'
makes new.yaml '.a["b"]' 'a:~  b: 5~'
makes settings.json @types/react '{~  "@types/react": 5~}~'

# If a KEY matches several values, the error names them, each in an unambiguous form.
printf '{"editor.fontSize": 1, "editor": {"fontSize": 2}, "a": {"b.c": 3}, "a.b": {"c": 4}}\n' >vendor/two.json
for command in get explain set unset; do
	args=()
	[ $command != set ] || args=(5)
	runs 1 "$PLYFS" $command -l vendor:site two.json editor.fontSize "${args[@]}"
	says "the KEY 'editor.fontSize' fits 2 values; write editor[\"fontSize\"] or [\"editor.fontSize\"]"
done
# So does reset, even if the layer has one of them alone. If nothing shows at the KEY, the layer's own values decide.
printf 'a: {b: 1}\nc: {d: 1}\nc.d: 2\n' >vendor/both.yaml
printf 'a.b: 2\nc:\n  d: !delete\nc.d: !delete\n' >site/both.yaml
cp site/both.yaml was
for layer in vendor site; do
	runs 1 "$PLYFS" reset -L $layer -l vendor:site both.yaml a.b
	says "the KEY 'a.b' fits 2 values; write a[\"b\"] or [\"a.b\"]"
done
runs 1 "$PLYFS" reset -l vendor:site both.yaml c.d
says "the KEY 'c.d' fits 2 values; write c[\"d\"] or [\"c.d\"]"
cmp -s was site/both.yaml || fail 'reset has changed the layer'
runs 0 "$PLYFS" reset -l vendor:site both.yaml '["a.b"]' 'c["d"]'
[ "$(cat site/both.yaml)" = 'c.d: !delete' ] || fail "$(cat site/both.yaml)"
# A new value that fits into two maps is refused, too.
printf 'a: {b: {c: 1}}\na.b: {d: 2}\n' >vendor/both.yaml
runs 1 "$PLYFS" set -l vendor:site both.yaml a.b.e 5
says "there is no 'a.b.e', and a new one can be read in two ways: 'a[\"b\"].e', and '[\"a.b\"].e'"
runs 0 "$PLYFS" set -L vendor -l vendor:site both.yaml 'a["b"].e=1' '["a.b"].e=2' a.b.c=3
[ "$(cat vendor/both.yaml)" = $'a: {b: {c: 3, e: 1}}\na.b: {d: 2, e: 2}' ] || fail "$(cat vendor/both.yaml)"
rm */both.yaml
has two.json 1 '["editor.fontSize"]'
has two.json 2 'editor["fontSize"]'
runs 1 get two.json a.b.c
says 'write a["b.c"] or ["a.b"]["c"]'
has two.json 3 'a["b.c"]'
has two.json 4 '["a.b"]["c"]' '["a.b"].c'
printf '{"a": {"b": {"c": 1}, "b.c": 2}, "a.b": {"c": 3}, "a.b.c": 4}\n' >vendor/four.json
runs 1 get four.json a.b.c
says "fits 4 values; write a[\"b\"][\"c\"], a[\"b.c\"], [\"a.b\"][\"c\"] or [\"a.b.c\"]"
for key in 'a["b"]["c"]=1' 'a["b.c"]=2' '["a.b"]["c"]=3' '["a.b.c"]=4'; do
	has four.json "${key#*=}" "${key%=*}"
done
python3 - <<'PYTHON' >vendor/many.json
import itertools, json
words, root = "abcdef", {}
for cuts in itertools.product(".|", repeat=5):
    at = root
    *way, last = "".join(word + cut for word, cut in zip(words, [*cuts, ""])).split("|")
    for name in way:
        at = at.setdefault(name, {})
    at[last] = at.get(last, {})
print(json.dumps(root))
PYTHON
runs 1 get many.json a.b.c.d.e.f
says "fits at least 8 values; write a[\"b\"][\"c\"][\"d\"][\"e\"][\"f\"], a[\"b\"]"
says ' …'

# A new key is spelt like its neighbours.
printf '{"editor.fontSize": 12, "files.x": true, "x": {"z": 1}}\n' >vendor/flat.json
makes flat.json editor.tabSize '{~  "editor.tabSize": 5~}~'
makes flat.json other.thing '{~  "other.thing": 5~}~'
makes flat.json x.y '{~  "x": {~    "y": 5~  }~}~'
printf 'meta:\n  labels: {app.k8s.io/name: x}\nserver: {port: 1}\n' >vendor/k.yaml
makes k.yaml meta.labels.app.k8s.io/inst $'meta:~  labels:~    app.k8s.io/inst: 5~'
makes k.yaml server.tls.on $'server:~  tls:~    on: 5~'
makes k.yaml a.b.c $'a:~  b:~    c: 5~'
printf '{"lodash.merge": 1, "express": 2, "x": 3}\n' >vendor/mixed.json
refuses mixed.json socket.io "'[\"socket.io\"]', and 'socket[\"io\"]'"
makes mixed.json '["socket.io"]' '{~  "socket.io": 5~}~'
makes mixed.json 'socket["io"]' '{~  "socket": {~    "io": 5~  }~}~'

# In a flat format the whole KEY is the name.
printf 'server.port=80\nlog[0].level=x\n' >vendor/app.properties
has app.properties 80 server.port '"server.port"' '["server.port"]'
has app.properties x 'log[0].level'
makes app.properties new.dotted.name 'new.dotted.name=5~'
makes app.properties 'log[1].level' 'log[1].level=5~'
makes new.properties '["server.port"]' 'server.port=5~'
printf 'A.B=1\n' >vendor/x.env
has x.env 1 A.B

# Sections, also those of git.
printf '[core]\nx = 1\n[remote "a.b"]\nurl = u\n[branch "main"]\nmerge = m\n' >vendor/git.ini
has git.ini u remote.a.b.url 'remote "a.b".url' '"remote \"a.b\"".url'
has git.ini m branch.main.merge
has git.ini 1 core.x
makes git.ini remote.new.url '[remote "new"]~url = 5~'
makes git.ini core.y '[core]~y = 5~'
refuses git.ini a.b.c "'[\"a.b\"].c' in the section [a.b], and 'a[\"b.c\"]' in [a]"
makes git.ini '["a.b"].c' '[a.b]~c = 5~'
makes git.ini 'a["b.c"]' '[a]~b.c = 5~'
printf '[options]\nx = 1\n[options.packages.find]\nwhere = src\n' >vendor/setup.ini
has setup.ini src options.packages.find.where
has setup.ini 1 options.x
refuses setup.ini options.package_data.x '"options.package_data"].x'
printf '[logging]\nlevel.root = 1\n' >vendor/log.ini
has log.ini 1 logging.level.root
makes log.ini logging.level.app '[logging]~level.app = 5~'
printf '[Desktop Entry]\nName=a\nName[de]=b\n' >vendor/a.keyfile
printf 'layers: [{path: vendor}, {path: site}]\nrules: [{match: "*.keyfile", strategy: deep, format: keyfile}]\n' >plyfs.yaml
runs 0 "$PLYFS" get -c plyfs.yaml a.keyfile 'Desktop Entry.Name[de]'
prints b
runs 0 "$PLYFS" set -c plyfs.yaml a.keyfile 'Desktop Entry.Name[fr]' c
grep -qx 'Name\[fr\]=c' site/a.keyfile

# A dialect of INI decides: git's section ends at the first dot, and its key begins behind the last one; the names of
# php.ini have dots, and its sections no meaning.
# An item that several keys identify together. A value with a comma in it comes first.
cat >vendor/ports.json <<'END_OF_FILE'
{
  "ports": [
    {"port": 53, "protocol": "TCP", "name": "dns"},
    {"port": 53, "protocol": "UDP", "name": "dns-udp"},
    {"port": "1,protocol=UDP", "protocol": "TCP", "name": "odd"}
  ]
}
END_OF_FILE
has ports.json dns-udp 'ports[port=53,protocol=UDP].name' 'ports[protocol=UDP,port=53].name' \
	'ports[port==53,protocol=="UDP"].name' "ports[port=53,'protocol'='UDP'].name" 'ports[1].name'
has ports.json odd 'ports[port=1,protocol=UDP].name'
for key in 'ports[port=80,protocol=UDP].name' 'ports[port=53,protocol=SCTP].name' 'ports["port"="53,protocol=UDP"].name'; do
	runs 1 get ports.json "$key"
	says 'has no'
done
makes new.yaml 'a[x=1,y=2].z' 'a:~- x: 1~  y: 2~  z: 5~'
refuses new.yaml 'a[x=1,y=2].y' "would be a new item, and its 'y' can't be another value at once; leave that out"
for layer in vendor site; do
	printf 'layers: [vendor, site]\nrules:\n- match: ports.json\n  options: {lists: {ports: {by: {all: [port, protocol]}}}}\n' >by.yaml
	cp vendor/ports.json ports.old
	runs 0 "$PLYFS" set -c by.yaml -L $layer ports.json 'ports[port=53,protocol=UDP].name' changed
	runs 0 "$PLYFS" get -c by.yaml ports.json 'ports[protocol=UDP,port=53].name'
	prints changed
	runs 0 "$PLYFS" get -c by.yaml ports.json 'ports[0].name'
	prints dns
	runs 0 "$PLYFS" set -c by.yaml -L $layer ports.json 'ports[port=53,protocol=UDP]' '{name: whole}'
	runs 0 "$PLYFS" get -c by.yaml ports.json 'ports[port=53,protocol=UDP].name'
	prints whole
	[ $layer = vendor ] || continue
	runs 0 "$PLYFS" unset -c by.yaml -L vendor ports.json 'ports[port=53,protocol=UDP]'
	runs 1 "$PLYFS" get -c by.yaml ports.json 'ports[port=53,protocol=UDP].name'
	mv ports.old vendor/ports.json
done

cat >plyfs.yaml <<'END_OF_FILE'
layers: [{path: vendor}, {path: site}]
rules: [{match: gitconfig, format: git}, {match: php.ini, format: php}]
options: {header: false}
END_OF_FILE
printf '[remote "origin"]\nurl = u\n[branch "feature/x"]\nremote = o\n[http]\nproxy = p\n' >vendor/gitconfig
printf '[PHP]\nmemory_limit = 1\nx[] = 1\n' >vendor/php.ini
ini() { # COMMAND FILE ARGUMENT...
	runs 0 "$PLYFS" "$1" -c plyfs.yaml "${@:2}"
}
for key in remote.origin.url Remote.origin.URL 'remote "origin".url' .remote.origin.url; do
	ini get gitconfig "$key"
	prints u
done
ini get gitconfig branch.feature/x.remote
prints o
makes_git() { # KEY TEXT
	rm -f site/gitconfig
	ini set gitconfig "$1" v
	[ "$(tr '\n' '~' <site/gitconfig)" = "$2" ] || fail "$1 makes: $(cat site/gitconfig)"
}
makes_git http.https://h.example.org/.proxy '[http "https://h.example.org/"]~proxy = v~'
makes_git credential.https://h.example.org.helper '[credential "https://h.example.org"]~helper = v~'
makes_git includeIf.gitdir:~/w/.path '[includeIf "gitdir:~/w/"]~path = v~'
makes_git 'remote.new.fetch[+]' '[remote "new"]~fetch = v~'
makes_git remote.origin.fetch '[remote "origin"]~fetch = v~'
makes_git .remote.new.url '[remote "new"]~url = v~'
makes_git user.name '[user]~name = v~'
rm site/gitconfig
for name in session.save_path opcache.enable date.timezone; do
	ini set php.ini $name v
	grep -qx "$name = v" site/php.ini || fail "$name makes: $(cat site/php.ini)"
done
runs 1 "$PLYFS" set -c plyfs.yaml php.ini PHP.memory_limit 2
says "the section 'PHP' has no meaning in a php.ini; give its keys without it"

# A value that a layer above has removed is named as before.
printf 'a.b: 1\nc: 2\n' >vendor/gone.yaml
printf 'a.b: !delete\n' >site/gone.yaml
runs 0 "$PLYFS" explain -l vendor:site gone.yaml a.b
grep -q '(gone)' out

# The places of a rule may be names with dots, too.
cat >plyfs.yaml <<'END_OF_FILE'
layers: [{name: vendor, path: vendor}, {name: site, path: site}]
rules:
- match: "*"
  strategy: deep
  lock: {vendor: [editor.fontSize, server.port]}
  options: {lists: {"x.y": append}, delete: {site: [files.z, deep.a.b]}}
END_OF_FILE
printf '{"editor.fontSize": 1, "editor.x": 1, "x.y": [1], "files.z": 1, "deep": {"a.b": 1, "c": 2}}\n' >vendor/r.json
printf '{"editor.fontSize": 2, "editor.x": 2, "x.y": [2]}\n' >site/r.json
runs 0 "$PLYFS" cat -c plyfs.yaml r.json
[ "$(tr -d ' \n' <out)" = '{"editor.fontSize":1,"editor.x":2,"x.y":[1,2],"deep":{"c":2}}' ] || fail "it is: $(cat out)"
printf 'server.port=80\n' >vendor/r.properties
runs 1 "$PLYFS" set -c plyfs.yaml r.properties server.port 81
says 'locks it'

# A key that no KEY can spell without quotes is reset if the layer alone has it.
printf 'example.org.: {a: 1}\n' >vendor/z.yaml
printf 'example.org.: !delete\n' >site/z.yaml
runs 0 "$PLYFS" reset -l vendor:site z.yaml example.org.
[ ! -e site/z.yaml ] || fail "the layer still has: $(cat site/z.yaml)"
