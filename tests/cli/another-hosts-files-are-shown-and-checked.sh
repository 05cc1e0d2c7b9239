#!/bin/bash
. "$(dirname "$0")/cli.sh"

# -H shows what another host, machine or user would get: %H, %m, %u and %h in the layers' paths.
mkdir -p vendor hosts/web1 hosts/web2 hosts/db machines/0123 users/root users/nobody
echo 'port: 80' >vendor/app.yaml
echo 'list: [1]' >vendor/list.yaml
echo 'port: 81' >hosts/web1/app.yaml
echo 'port: 82' >hosts/web2/app.yaml
echo 'list: {a: 1}' | tee hosts/web1/list.yaml hosts/db/list.yaml >/dev/null
echo 'machine: 1' >machines/0123/app.yaml
echo 'user: nobody' >users/nobody/app.yaml
cat >plyfs.yaml <<'END'
layers:
  - vendor
  - {name: host, path: "hosts/%H", optional: true}
  - {name: machine, path: "machines/%m", optional: true}
  - {name: user, path: "users/%u", optional: true}
rules: [{match: none.yaml, strategy: last}, {match: only.yaml, strategy: last}]
options: {header: false}
END
echo 'x: 1' >hosts/db/only.yaml

runs 0 "$PLYFS" cat -c plyfs.yaml -H web1 app.yaml
prints 'port: 81'
runs 0 "$PLYFS" cat --host=web2 --machine-id 0123 --user nobody -c plyfs.yaml app.yaml
prints $'port: 82\nmachine: 1\nuser: nobody'
runs 0 "$PLYFS" explain -c plyfs.yaml -H web1 app.yaml port
grep -q '^port: 81 .*host .*hosts/web1/app.yaml:1:7' out
runs 0 "$PLYFS" blame -c plyfs.yaml -H web2 app.yaml
grep -q '^host  *app.yaml:1 .*port: 82' out
runs 0 "$PLYFS" diff -c plyfs.yaml -H web1 app.yaml
grep -qx '+port: 81' out
# With two sets of layers, -H belongs to the -c in front of it; in front of both it counts for both.
runs 0 "$PLYFS" diff -c plyfs.yaml -H web1 -c plyfs.yaml -H db app.yaml
grep -qx -- '-port: 81' out && grep -qx '+port: 80' out
runs 0 "$PLYFS" diff -H web1 -c plyfs.yaml -c plyfs.yaml
prints ''
runs 0 "$PLYFS" check -c plyfs.yaml -H web2
prints '2 files: all merge, 2 warnings'

# A text that is no host name leads nowhere else.
runs 1 "$PLYFS" cat -c plyfs.yaml -H ../vendor app.yaml
grep -qF "plyfs.yaml:3:24: '%H' can't be used: the host name '../vendor' is no file name" err
runs 1 "$PLYFS" cat -c plyfs.yaml --user '' app.yaml
runs 2 "$PLYFS" cat -l vendor -H web1 app.yaml
says 'layers given with -l have none'

# All hosts: a finding of several hosts is reported once, with their names; a finding about plyfs.yaml only if it holds
# on all.
printf '# ours\nweb1\n  db # a comment\n\nweb2\r\n' >list
runs 0 "$PLYFS" check -c plyfs.yaml --hosts list
prints '3 hosts, 7 files: all merge, 3 warnings'
grep -qF "hosts/web1/list.yaml:1:7: warning: 'list' is a map here and replaces a list in vendor/list.yaml:1:7" err
grep -q "hosts/web1/list.yaml.* (on web1)$" err
grep -q "hosts/db/list.yaml.* (on db)$" err
grep -q "^plyfs: plyfs.yaml:6: warning: the rule for 'none.yaml' matches no file; correct or remove it$" err
! grep -q 'only.yaml' err || fail "a rule that db needs is called idle"
echo 'port: [' >vendor/app.yaml
runs 1 "$PLYFS" check -c plyfs.yaml --hosts - <list
prints '3 hosts, 7 files: 3 do not merge, 1 error, 3 warnings'
[ "$(grep -c 'vendor/app.yaml' err)" -eq 1 ] || fail "it is told for each host: $(cat err)"
echo 'port: 80' >vendor/app.yaml
echo 'port: [' | tee hosts/web1/app.yaml >hosts/web2/app.yaml
ln -s web1 hosts/web3
seq -f 'more%.0f' 6 >>list
runs 1 "$PLYFS" check -W --json -c plyfs.yaml --hosts list app.yaml
python3 - <<'END' || fail "not this: $(cat out)"
import json
report = json.load(open("out"))
assert [(f["source"], f["hosts"]) for f in report["findings"]] == [
    ("hosts/web1/app.yaml", ["web1"]), ("hosts/web2/app.yaml", ["web2"])], report
assert report["files"] == 9 and report["failed"] == 2 and report["errors"] == 2
END
# Of many hosts only some are named: here those that lack the file that a whiteout of the site's hides.
mkdir -p site six one
touch site/.wh.gone six/gone
printf 'layers: [{path: "%%H", optional: true}, site]\n' >several.yaml
says_on() {
	printf '%s\n' "${@:2}" >list
	runs 0 "$PLYFS" check -c several.yaml --hosts list
	says "site/.wh.gone: warning: the whiteout hides nothing: no lower layer has 'gone'; correct its name, or remove it if no host needs it$1"
}
says_on ' (on one, two, three and 2 more hosts)' one two three six four five
says_on ' (on one, two, three, four)' one two three six four
says_on ' (on one)' one six
says_on '' one two three four five

# A host whose layers can't be opened is reported, and the others are checked.
sed -i 's/path: "hosts\/%H", optional: true/path: "hosts\/%H"/' plyfs.yaml
printf 'web1\nnowhere\n' >list
runs 1 "$PLYFS" check -q -c plyfs.yaml --hosts list list.yaml
grep -q "the layer directory 'hosts/nowhere' does not exist" err
grep -q "the host 'nowhere' can't be checked" err

# A list of hosts that can't be read.
for text in '' '# nobody' 'two words' a/b ..; do
	echo "$text" >list
	runs 1 "$PLYFS" check -c plyfs.yaml --hosts list
done
says "list:1: '..' is no host's name"
runs 1 "$PLYFS" check -c plyfs.yaml --hosts nothing
says "nothing: can't be opened: there is no such file"
runs 2 "$PLYFS" check -c plyfs.yaml --hosts list -H web1
runs 2 "$PLYFS" check -l vendor --hosts list

# The parts of a host name.
mkdir -p parts/web1 parts/example.com parts/db
echo 'host: web1' >parts/web1/app.yaml
echo 'domain: example.com' >parts/example.com/app.yaml
cat >parts.yaml <<'END_'
layers: [vendor, {path: "parts/%d", optional: true, name: domain}, {path: "parts/%l", optional: true}]
options: {header: false}
END_
runs 0 "$PLYFS" cat -c parts.yaml -H web1.example.com app.yaml
prints $'port: 80\ndomain: example.com\nhost: web1'
runs 0 "$PLYFS" cat -c parts.yaml -H web1 app.yaml
prints $'port: 80\nhost: web1'
runs 1 "$PLYFS" set -c parts.yaml -H web2.example.com app.yaml a 1
grep -q 'does not exist for web2.example.com: mkdir -p parts/web2' err
echo 'layers: [vendor, "parts/%d"]' >parts.yaml
runs 1 "$PLYFS" cat -c parts.yaml -H web1 app.yaml
grep -q "'%d' has no value: this machine has no domain in its host name" err
echo 'layers: [vendor, "parts/%x"]' >parts.yaml
runs 1 "$PLYFS" cat -c parts.yaml app.yaml
grep -q "unknown '%x' in a layer's path (allowed: %H host name, %l its first part" err
