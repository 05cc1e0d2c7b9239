#!/bin/bash
. "$(dirname "$0")/cli.sh"
# The layers of hosts are optional. If one is absent, or its name is misspelt, a change would go to the layer below,
# which all hosts have.

mkdir -p vendor site hosts/web1 hosts/web2 users
echo 'port: 80' | tee vendor/app.yaml >site/app.yaml
cat >plyfs.yaml <<'END_'
layers:
  - {name: vendor, path: vendor}
  - {name: site, path: site}
  - {name: host, path: "hosts/%H", optional: true}
END_
before=$(cd site && md5sum app.yaml)
same() { [ "$(cd site && md5sum app.yaml)" = "$before" ] || fail "site has changed: $(cat site/app.yaml)"; }
on() {
	local command=$1
	shift
	"$PLYFS" "$command" -c plyfs.yaml "$@"
}

# Every command that writes is refused, with the command that would work.
for command in 'set app.yaml port 81' 'set app.yaml port=81' 'unset app.yaml port' 'set -n app.yaml port 81' \
	'edit app.yaml' 'set new/app.yaml port 81'; do
	read -ra words <<<"$command"
	runs 1 env EDITOR=true "$PLYFS" "${words[0]}" -c plyfs.yaml -H db7 "${words[@]:1}"
	says "the layer 'host' does not exist for db7: mkdir -p hosts/db7, or use --layer site"
	same
done
runs 1 on set -H wbe2 app.yaml port 81
says "mkdir -p hosts/wbe2, or use --layer site; the nearest host that exists is 'web2'"
[ ! -e hosts/wbe2 ] || fail 'the misspelt host has been made'

# On the host itself it is the same; so for a machine, a user, and a layer of another kind.
runs 1 on set app.yaml port 81
says "the layer 'host' does not exist for $(uname -n): mkdir -p hosts/$(uname -n), or use --layer site"
same
for path in machines/%m:--machine-id:0123:'the machine 0123' users/%u:--user:eve:'the user eve'; do
	IFS=: read -r where option value who <<<"$path"
	printf 'layers: [vendor, site, {name: own, path: "%s", optional: true}]\n' "$where" >other.yaml
	runs 1 "$PLYFS" set -c other.yaml "$option" "$value" app.yaml port 81
	says "the layer 'own' does not exist for $who: mkdir -p ${where%/*}/$value, or use --layer site"
done
printf 'layers: [vendor, site, {name: local, path: "my local", optional: true}]\n' >other.yaml
runs 1 "$PLYFS" set -c other.yaml app.yaml port 81
says "the layer 'local' does not exist: mkdir -p 'my local', or use --layer site"
printf 'layers: [{name: local, path: local, optional: true}]\n' >other.yaml
runs 1 "$PLYFS" set -c other.yaml app.yaml port 81
says "the layer 'local' does not exist: mkdir -p local"
same

# With a host, the highest layer must be one of that host.
printf 'layers: [vendor, {name: host, path: "hosts/%%H", optional: true}, site]\n' >other.yaml
runs 1 "$PLYFS" set -c other.yaml -H web1 app.yaml port 81
says "the change would go into the layer 'site', which is not for the host 'web1' alone"
same
runs 0 "$PLYFS" set -c other.yaml -H web1 -L site app.yaml port 80

# The named layer is changed, and made if it is absent; a dry run does not make it, nor a change that changes nothing.
runs 0 on set -H web2 -L site app.yaml port 82
grep -qx 'port: 82' site/app.yaml
runs 0 on set -n -H web3 -L host app.yaml port 83
grep -qx '+port: 83' out
[ ! -e hosts/web3 ] || fail 'a dry run makes the layer'
runs 1 on set -H web3 -L host app.yaml 'list[7]' 83
[ ! -e hosts/web3 ] || fail 'a change that fails makes the layer'
runs 0 on set -H web3 --layer host sub/app.yaml port 83
grep -qx 'port: 83' hosts/web3/sub/app.yaml
runs 0 on set -H web2 app.yaml port 84
grep -qx 'port: 84' hosts/web2/app.yaml
chmod 750 site
runs 0 on set -H web4 --layer host app.yaml port 83
[ "$(stat -c %a hosts/web4)" = 750 ] || fail "the layer is wider open than the one below: $(stat -c %a hosts/web4)"

# The commands that explain proposes work.
runs 0 on explain app.yaml port
[ "$(tail -n 1 out)" = 'change it: plyfs set -L site -c plyfs.yaml app.yaml port VALUE' ] || fail "$(cat out)"

# A command that only reads reports that there is no such host.
for command in 'cat app.yaml' 'explain app.yaml' 'explain app.yaml port' 'blame app.yaml' 'check' 'check app.yaml' 'diff app.yaml'; do
	read -ra words <<<"$command"
	runs 0 on "${words[0]}" -H wbe2 "${words[@]:1}"
	[[ $(cat err) == "plyfs: no layer of the host 'wbe2' exists: there is no "*"hosts/wbe2; the nearest host that exists is 'web2'" ]] ||
		fail "it says: $(cat err)"
done
runs 0 "$PLYFS" diff -c plyfs.yaml -H web1 -c plyfs.yaml -H wbe2 app.yaml
says "no layer of the host 'wbe2' exists"
runs 0 on cat -H web2 app.yaml
[ ! -s err ] || fail "it says: $(cat err)"
runs 0 on cat -H completely-different app.yaml
says "no layer of the host 'completely-different' exists: there is no "
! grep -q nearest err || fail "it says: $(cat err)"
runs 0 on cat --user eve app.yaml
says "--user eve chooses no layer: no layer's path depends on the user"
# The nearest host is found also if the name is only a part.
mkdir -p by/x-web7.d/etc
printf 'layers: [vendor, {path: "by/x-%%H.d/etc", optional: true}]\n' >other.yaml
runs 0 "$PLYFS" cat -c other.yaml -H wbe7 app.yaml
says "the nearest host that exists is 'web7'"
