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
