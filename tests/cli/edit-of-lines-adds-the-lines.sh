#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Of a file of lines, or of files one after the other, the layer gets what was typed, and no copy of the lower files.
mkdir v s
cat >plyfs.yaml <<-'END'
	layers: [v, s]
	rules:
	  - {match: hosts, strategy: lines}
	  - {match: rc, strategy: concat}
	  - {match: ssh, strategy: concat, options: {order: highest-first}}
END
for name in hosts rc ssh; do echo low >v/$name; done
typed() { # SED-SCRIPT FILE
	printf '#!/bin/sh\nexec sed -i "%s" "$1"\n' "$1" >editor
	chmod +x editor
	runs 0 env EDITOR="$PWD/editor" "$PLYFS" edit -c plyfs.yaml "$2"
}
for name in hosts rc; do
	typed '$ a high' $name
	[ "$(cat s/$name)" = high ] || fail "$name of site is: $(cat s/$name)"
	! grep -q copy err || fail "it is no copy: $(cat err)"
	typed '$ a more' $name
	[ "$(tr '\n' ' ' <s/$name)" = 'high more ' ] || fail "$name of site is: $(cat s/$name)"
	runs 0 "$PLYFS" cat -c plyfs.yaml $name
	prints $'low\nhigh\nmore'
done
typed '1 i high' ssh
[ "$(cat s/ssh)" = high ] || fail "ssh of site is: $(cat s/ssh)"
runs 0 "$PLYFS" cat -c plyfs.yaml ssh
prints $'high\nlow'

# Such a file has no values. The message names a way that works.
for name in hosts rc; do
	runs 1 "$PLYFS" set -c plyfs.yaml $name a 1
	says "$name: '$([ $name = hosts ] && echo lines || echo concat)' reads no values; change its text: plyfs edit"
done
