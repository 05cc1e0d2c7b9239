#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
set_() { "$PLYFS" set -l vendor:site "$@"; }
unset_() { "$PLYFS" unset -l vendor:site "$@"; }
file() { [ "$(cat "$1")" = "$2" ] || fail "$1 is: $(cat "$1"); and not: $2"; }

# Each KEY names what is there now, in any order.
printf '%s\n' 'hosts: [a, b, c, d]' 'jobs:' '- name: x' '- name: y' '- name: z' >site/app.yaml
runs 0 unset_ app.yaml 'jobs[name=x]' 'hosts[0]' 'hosts[1]' 'jobs[name=y]' 'hosts[0]'
file site/app.yaml 'hosts: [c, d]
jobs:
- name: z'

# Values of one new item make one item; a replaced item keeps its name.
runs 0 set_ app.yaml 'jobs[name=web].port=80' 'jobs[name=web].tls=true'
file site/app.yaml 'hosts: [c, d]
jobs:
- name: z
- name: web
  port: 80
  tls: true'
runs 0 set_ app.yaml 'jobs[name=z]={port: 1}'
runs 0 set_ app.yaml 'jobs[name=z]={port: 1}'
prints 'nothing changes: it is so already'

# A KEY that would mean another item each time, or no item of a list, is refused.
cp site/app.yaml before.yaml
runs 1 set_ app.yaml 'jobs[name=new].name=old'
says "its 'name' can't be another value at once; leave that out"
runs 0 set_ -n app.yaml server.port=80
for key in 'server[+]' 'server[0]' 'server[name=web].a'; do
	runs 1 set_ app.yaml server.port=80 "$key=1"
	says 'selects an item of a list, and this is a map'
done
cmp site/app.yaml before.yaml

# null and booleans count as set already, in any spelling.
printf 'a:\nb: ~\nc: yes\n' >site/null.yaml
runs 0 set_ null.yaml a=null b=null c=true
prints 'nothing changes: it is so already'

# An item without the key of the other items is found all the same.
cat >plyfs.yaml <<END
layers: [vendor, site]
rules:
  - {match: list.yaml, options: {lists: {"**": {by: name}}}}
  - {match: cloud.yaml, strategy: cloud-init}
  - {match: motd, strategy: last}
END
printf 'list: [a, {name: b}]\n' >site/list.yaml
runs 0 "$PLYFS" unset -c plyfs.yaml list.yaml 'list[0]'
file site/list.yaml 'list: [{name: b}]'

# Files that cloud-init merges are changed by values, too.
printf '#cloud-config\na: 1\nb: 2 # two\n' >vendor/cloud.yaml
printf '#cloud-config\nb: 3 # three\n' >site/cloud.yaml
runs 0 "$PLYFS" set -c plyfs.yaml cloud.yaml b 4
file site/cloud.yaml '#cloud-config
b: 4 # three'

# An empty file differs from a missing one.
echo hello >vendor/motd
runs 0 env EDITOR='truncate -s0' VISUAL= "$PLYFS" edit -c plyfs.yaml motd
[ -f site/motd ] && [ ! -s site/motd ] || fail 'the empty file was not made'

# The only key of a file of keys can be removed, and a number below zero is no option.
printf '# keys\nA=1\n' >site/app.env
runs 0 unset_ app.env A
file site/app.env '# keys'
runs 2 set_ app.yaml port -5
says "put a number below zero behind '--'"
runs 0 set_ app.yaml port -- -5
grep -q '^port: -5$' site/app.yaml

# A problem that is in no file belongs to one of the values, which is named.
printf '[s]\na = 1\nb = 2\n' >site/s.ini
runs 1 set_ s.ini s.b=2 's.a=x '
says "s.a: a value in INI can't hold a blank at the end"
runs 1 set_ s.ini s.a 'x '
grep -q "^plyfs: a value in INI can't hold a blank at the end" err || fail "$(cat err)"
runs 1 set_ app.yaml 'one[+]=x' 'one[0].a=1'
says 'one[0].a: a key leads into a string'
