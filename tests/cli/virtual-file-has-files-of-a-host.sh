#!/bin/bash
# Patterns in `from` with a specifier: a host, a machine or a role may have a file of its own, or none.
. "$(dirname "$0")/cli.sh"

mkdir -p data/nodes data/roles data/users
echo 'port: 80' >data/common.yaml
echo 'port: 81' >data/nodes/web1.yaml
echo 'role: web' >data/roles/web.yaml
echo 'role: db' >facts.yaml
cat >plyfs.yaml <<'END_'
facts: facts.yaml
layers: [data]
files:
  - {path: merged.yaml, from: [common.yaml, "roles/%{role}.yaml", "systems/%o.yaml", "users/%u.yaml", "nodes/%H.yaml"]}
options: {header: false}
END_

# Neither a host with a file of its own, nor one without, nor this host gets a warning.
for host in web1 web2; do
	runs 0 "$PLYFS" check --strict -c plyfs.yaml -H $host
done
runs 0 "$PLYFS" check --strict -c plyfs.yaml
runs 0 "$PLYFS" check --strict -c plyfs.yaml -H web1 --user eve --fact role=web
printf 'web1\nweb2\n' >list
runs 0 "$PLYFS" check --strict -c plyfs.yaml --hosts list
# A file of this host alone, which has none.
sed -i 's/\[common.*\]/"nodes\/%H.yaml"/' plyfs.yaml
runs 0 "$PLYFS" check --strict -c plyfs.yaml -H web2
runs 0 "$PLYFS" check --strict -c plyfs.yaml -H web1
# Negative twins: a pattern that is the same everywhere; percent signs that are no specifiers.
for pattern in comon.yaml 'nodes/%%H.yaml' '100%' '%f' '%{a,b}'; do
	sed "s|from: .*}|from: [\"nodes/%H.yaml\", \"$pattern\"]}|" plyfs.yaml >idle.yaml
	for host in web1 web2; do
		runs 1 "$PLYFS" check --strict -c idle.yaml -H $host
		grep -qF "the pattern '${pattern/\%\%/\%}' of the virtual file 'merged.yaml' matches no file; correct it" err ||
			fail "$(cat err)"
		[ "$(grep -c 'matches no file' err)" -eq 1 ] || fail "$(cat err)"
	done
done

# -H and the like have an effect if a pattern depends on the host.
cat >plyfs.yaml <<'END_'
layers: [data]
files: [{path: merged.yaml, from: [common.yaml, "nodes/%l.yaml"]}]
options: {header: false}
END_
runs 0 "$PLYFS" cat -c plyfs.yaml -H web1 merged.yaml
prints 'port: 81'
[ ! -s err ] || fail "$(cat err)"
sed -i 's/%l/%u/' plyfs.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml --user eve merged.yaml
[ ! -s err ] || fail "$(cat err)"
sed -i 's/%u/%m/' plyfs.yaml
runs 0 "$PLYFS" explain -c plyfs.yaml --machine-id 0123 merged.yaml
[ ! -s err ] || fail "$(cat err)"
# Negative twins: another kind of specifier, and one in the path alone.
runs 0 "$PLYFS" cat -c plyfs.yaml -H web1 merged.yaml
says "-H web1 chooses no layer: no layer's path depends on the host"
sed -i 's/%m/%o/' plyfs.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml --machine-id 0123 merged.yaml
says '--machine-id 0123 chooses no layer'
sed -i 's/merged.yaml/"%H.yaml"/' plyfs.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml -H web1 web1.yaml
says '-H web1 chooses no layer'
# If layers depend on the host as well, one that has none is reported as before.
sed -i 's/\[data\]/[data, {path: "hosts\/%H", optional: true}]/; s/%o/%H/' plyfs.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml -H web1 web1.yaml
says "no layer of the host 'web1' exists"
