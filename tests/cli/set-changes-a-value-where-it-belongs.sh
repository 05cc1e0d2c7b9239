#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site host
printf '{\n  "server": {"port": 80, "tls": true},\n  "hosts": ["a", "b"]\n}\n' >vendor/app.json
printf '{\n  "log": "debug",\n  "server": {"port": 8080}\n}\n' >site/app.json
set_() { "$PLYFS" set -l vendor:site "$@"; }
unset_() { "$PLYFS" unset -l vendor:site "$@"; }
file() { [ "$(cat "$1")" = "$2" ] || fail "$1 is: $(cat "$1"); and not: $2"; }

# A value of the layer is edited in place, and a lower layer's value is overridden.
runs 0 set_ app.json server.port 9090
prints 'site/app.json:3: server.port: 8080 -> 9090'
runs 0 set_ app.json server.tls false
prints 'site/app.json:3: server.tls: true -> false (overrides vendor/app.json:2)'
runs 0 set_ app.json cache.size=10M log=info
prints 'site/app.json:2: log: debug -> info
site/app.json:4: cache.size: 10M (new)'
file site/app.json '{
  "log": "info",
  "server": {"port": 9090, "tls": false},
  "cache": {"size": "10M"}
}'

# Setting it again changes nothing: the file is not even made anew.
before=$(stat -c '%i %Y' site/app.json)
runs 0 set_ app.json server.port 9090
prints 'nothing changes: it is so already'
[ "$(stat -c '%i %Y' site/app.json)" = "$before" ] || fail 'the source was written'

# A dry run prints the change, and does not make it.
runs 0 set_ -n app.json server.port 1
prints '--- site/app.json
+++ site/app.json
@@ -1,5 +1,5 @@
 {
   "log": "info",
-  "server": {"port": 9090, "tls": false},
+  "server": {"port": 1, "tls": false},
   "cache": {"size": "10M"}
 }'
[ "$(stat -c '%i %Y' site/app.json)" = "$before" ] || fail 'the source was written'

# A list that replaces lower lists is overridden whole.
runs 0 set_ app.json 'hosts[+]=c'
runs 0 "$PLYFS" cat -l vendor:site app.json
grep -qz '"a",.*"b",.*"c"' out
runs 0 unset_ app.json 'hosts[1]'
prints 'site/app.json: hosts[1]: removed (was b)'

# Another layer, if the change shows from there.
runs 0 set_ --layer vendor app.json added.by vendor
runs 1 set_ -L vendor app.json server.port 7
grep -q "site/app.json:3:.* the layer 'site' is higher and sets it" err
runs 1 set_ -L host app.json a 1
says "there is no layer 'host'; the layers are: vendor, site"

# A lower layer's value can't be hidden in JSON; nothing changes then.
cp site/app.json before.json
runs 0 unset_ app.json cache.size
runs 1 unset_ app.json hosts server.port
grep -q "vendor/app.json:.* the layer 'vendor' has the value, and json has no '!delete'" err
! grep -q size site/app.json || fail 'the size is there still'

# A drop-in in YAML can hide it, if the rule allows drop-ins.
cat >plyfs.yaml <<'END'
layers: [{name: vendor, path: vendor}, {name: site, path: site}]
rules: [{match: "*.json", strategy: deep, dropins: layers}]
END
runs 0 "$PLYFS" unset -c plyfs.yaml app.json server.tls
runs 0 "$PLYFS" cat -c plyfs.yaml app.json
! grep -q tls out || fail "it is there still: $(cat out)"

# If one item needs the whole list written anew, the list keeps its comments, or stays as it is.
printf 'list: [a, b]\n' >vendor/list.yaml
printf 'list:\n- c  # why\n' >site/list.yaml
cat >append.yaml <<'END'
layers: [{name: vendor, path: vendor}, {name: site, path: site}]
rules: [{match: "*.yaml", strategy: deep, options: {lists: append}}]
END
runs 1 "$PLYFS" unset -c append.yaml list.yaml 'list[0]'
[ "$(cat site/list.yaml)" = $'list:\n- c  # why' ] || fail "a comment is lost: $(cat site/list.yaml)"
printf 'list:\n- c\n' >site/list.yaml
runs 0 "$PLYFS" unset -c append.yaml list.yaml 'list[0]'
[ "$(cat site/list.yaml)" = $'list: !replace\n- b\n- c' ] || fail "it is: $(cat site/list.yaml)"

# A list of unique items that has the item already gets no second one.
printf 'list: [a, b]\n' >vendor/unique.yaml
printf 'list: [c]\nx: 1\n' >site/unique.yaml
sed 's/append}/unique}/' append.yaml >unique-items.yaml
runs 0 "$PLYFS" set -c unique-items.yaml unique.yaml 'list[+]' a
prints 'nothing changes: it is so already'
runs 0 "$PLYFS" set -c unique-items.yaml unique.yaml 'list[+]=c' 'list[+]=d' 'list[+]=d' x=2
prints 'site/unique.yaml:1: list[3]: d (new)
site/unique.yaml:2: x: 1 -> 2'
[ "$(cat site/unique.yaml)" = $'list: [c, d]\nx: 2' ] || fail "it is: $(cat site/unique.yaml)"
# But the lists in an item are whole values, and so is what they contain.
printf 'list: [[1], {k: [x]}]\n' >site/unique.yaml
runs 0 "$PLYFS" set -c unique-items.yaml unique.yaml 'list[2][+]=1' 'list[3].k[+]=x'
[ "$(cat site/unique.yaml)" = 'list: [[1, 1], {k: [x, x]}]' ] || fail "it is: $(cat site/unique.yaml)"

# A missing source is made, with its directories.
runs 0 set_ new/deep/app.json a.b 1
file site/new/deep/app.json '{
  "a": {
    "b": 1
  }
}'
chmod 640 vendor/app.json
runs 0 "$PLYFS" set -l vendor:host app.json x 1
[ "$(stat -c %a host/app.json)" = 640 ] || fail 'a new source has another mode than that below it'
mkdir -p vendor/private
printf '{"a": 1}\n' >vendor/private/app.json
chmod 750 vendor/private
runs 0 "$PLYFS" set -l vendor:host private/app.json x 1
[ "$(stat -c %a host/private)" = 750 ] || fail 'a new directory has another mode than that below it'

# In a directory that hands its group on, a new source has that group, as any new file there.
if [ "$(id -u)" = 0 ]; then
	mkdir team
	chgrp 34 team
	chmod 2775 team
	runs 0 "$PLYFS" set -l team app.yaml x 1
	runs 0 "$PLYFS" set -l team sub/app.yaml x 1
	[ "$(stat -c '%a %g' team/app.yaml team/sub team/sub/app.yaml)" = $'644 34\n2755 34\n644 34' ] ||
		fail "in the team's: $(stat -c '%a %g' team/app.yaml team/sub team/sub/app.yaml)"
fi

# A file that is shown whole: the layer gets a copy of the highest layer's file, with the change.
printf '[Service]\nExecStart=/bin/a\nUser=a\n' >vendor/a.service
runs 0 set_ a.service Service.User b
[ "$(cat site/a.service)" = $'[Service]\nExecStart=/bin/a\nUser=b' ] || fail "$(cat site/a.service)"
runs 1 set_ -L vendor a.service Service.User c
grep -q "'last' shows other" err
echo text >vendor/motd
runs 1 set_ motd a 1
grep -q 'its name is that of no format with values' err

# In .env the quotes decide whether a "$" stands for a variable: VALUE is the text that a program reads.
printf "A='\$X'\nB=b\n" >site/x.env
runs 0 set_ x.env 'A=$Y' 'B=$Z' 'C=$W'
[ "$(cat site/x.env)" = "A='\$Y'"$'\n'"B='\$Z'"$'\n'"C='\$W'" ] || fail "it is: $(cat site/x.env)"
runs 0 set_ --yaml x.env 'A=$Y'
[ "$(head -1 site/x.env)" = 'A=$Y' ] || fail "it is: $(cat site/x.env)"

# A value that is there already is not set, also if the result's format writes it differently.
printf '#cloud-config\na: {k: 1, 2: x}\n' >vendor/cloud.json
printf 'layers: [{path: vendor}, {path: site}]\nrules:\n- {match: "**", strategy: cloud-init}\n' >plyfs.yaml
runs 0 "$PLYFS" set -c plyfs.yaml cloud.json a '{k: 1, 2: x}'
prints 'nothing changes: it is so already'
[ ! -e site/cloud.json ] || fail 'the source was written'

# A source of cloud-init that is no plain cloud-config is changed by hand.
printf '#cloud-config-archive\n- "#cloud-config\\na: 1"\n' >site/parts
runs 1 "$PLYFS" set -c plyfs.yaml parts a 2
says "site/parts: is a message, archive, patch or script; change it by hand"
printf '#!/bin/sh\necho\n' >site/parts
runs 1 "$PLYFS" set -c plyfs.yaml parts a 2
says "site/parts: is a message, archive, patch or script; change it by hand"
printf '#cloud-config\n---\n' >site/parts
runs 0 "$PLYFS" set -c plyfs.yaml parts a 2

# KEYs that lead nowhere, and invalid values.
runs 1 set_ app.json log.level.deep 1
grep -q "site/app.json:2:.*a key leads into a string" err
runs 1 set_ app.json 'hosts[7]' x
grep -q 'so there is none at \[7\]' err
runs 1 unset_ app.json nothing
grep -q "there is no 'nothing' to be removed; correct the KEY" err
# A tag of the strategy is carried out, and so is no part of the value.
echo 'plugins: [a]' >vendor/tagged.yaml
for value in '!append [b]' '!delete' '{a: {b: [!replace [c]]}}'; do
	runs 1 set_ --yaml tagged.yaml plugins "$value"
	grep -q "the new value has the tag !.*, which never shows in the merged file; set the value" err || fail "$(cat err)"
done
runs 0 set_ --yaml tagged.yaml plugins '!vault [b]'
runs 1 set_ --yaml app.json a '{'
grep -q 'the value of a:' err
runs 0 set_ -n app.json a '{'
grep -q 'no whole map or list' err
grep -q '"a": "{"' out
runs 2 set_ app.json a
says 'VALUE'
runs 2 set_ app.json a=1 b
says 'KEY=VALUE'
runs 2 unset_ app.json
says 'a KEY is missing'

# A source that does not parse is not touched, and the error names it.
printf '{"a": }' >site/app.json
runs 1 set_ app.json a 1
grep -q 'site/app.json:1:7' err
[ "$(cat site/app.json)" = '{"a": }' ]

# A file of several documents that one layer alone has is edited in the document that has the key.
printf 'kind: Service\nport: 80\n---\nkind: Deployment\nreplicas: 1\n' >site/objects.yaml
runs 0 set_ objects.yaml replicas 5
prints 'site/objects.yaml:5: [1].replicas: 1 -> 5'
file site/objects.yaml $'kind: Service\nport: 80\n---\nkind: Deployment\nreplicas: 5'

# Each value of a new file or map is listed, and a change of the type alone shows.
rm -rf vendor site
mkdir vendor site
runs 0 set_ new.yaml server.port=80 log=info
prints 'site/new.yaml:2: server.port: 80 (new)
site/new.yaml:3: log: info (new)'
runs 0 set_ --string new.yaml server.port=80
prints 'site/new.yaml:2: server.port: 80 -> "80"'

# The option `delete` acts if its layer has the file. So a new file there would change more than what is set.
printf 'layers: [vendor, site]\nrules: [{match: f.yaml, options: {delete: {site: a.x}}}]\n' >delete.yaml
printf 'a: {x: 1, y: 2}\n' >vendor/f.yaml
runs 1 "$PLYFS" set -c delete.yaml f.yaml b 5
grep -q "site/f.yaml: if the layer 'site' has the file, the rule's option 'delete' removes other values" err
[ ! -e site/f.yaml ] || fail 'a file was made'
echo 'c: 1' >site/f.yaml
runs 0 "$PLYFS" set -c delete.yaml f.yaml b 5
prints 'site/f.yaml:2: b: 5 (new)'

# A key that git repeats: a value in a higher layer is one more, so the message names the key, its place and the remedy.
printf 'layers: [vendor, site]\nrules: [{match: f.cfg, format: git}]\n' >git.yaml
printf '[remote "o"]\nfetch = a\nfetch = b\n' >vendor/f.cfg
for key in fetch 'fetch[0]'; do
	runs 1 "$PLYFS" set -c git.yaml f.cfg "remote \"o\".$key" c
	grep -q "vendor/f.cfg:2:9: 'fetch' stands 2 times, here first, and a value in the layer 'site' would be one more; \
change these in the layer 'vendor', or add one by the KEY with \[+\]" err || fail "$(cat err)"
done
[ ! -e site/f.cfg ] || fail 'a file was made'
runs 0 "$PLYFS" set -c git.yaml -L vendor f.cfg 'remote "o".fetch' c
file vendor/f.cfg $'[remote "o"]\nfetch = c'
