#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Three tiers of a coding agent's settings: the user can add permissions, and can't remove the team's deny rules.
mkdir vendor team user
echo '{"permissions": {"allow": ["Read"], "ask": ["Bash"]}, "mode": "allow", "timeout": 60}' >vendor/settings.json
echo '{"permissions": {"deny": ["Bash(rm *)", "Read(.env)"]}, "mode": "ask", "timeout": 30}' >team/settings.json
echo '{"permissions": {"deny": [], "allow": ["Edit"]}, "mode": "allow", "timeout": 20}' >user/settings.json
settings() { printf 'layers: [vendor, team, user]\noptions: {header: false}\n%s\n' "$1" >plyfs.yaml; }
bounded='rules: [{match: settings.json, options: {lists: {permissions.allow: unique}}, bounds: {permissions.deny: union, mode: {at_most: [off, ask, allow]}, timeout: min}}]'
shown() { python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), sort_keys=True))' <out; }

# Without bounds the user's empty list wipes the rules.
settings 'rules: [{match: settings.json}]'
runs 0 "$PLYFS" cat -c plyfs.yaml settings.json
[[ $(shown) == *'"deny": []'* ]] || fail "$(cat out)"
runs 0 "$PLYFS" check -c plyfs.yaml

settings "$bounded"
runs 0 "$PLYFS" cat -c plyfs.yaml settings.json
[ "$(shown)" = '{"mode": "ask", "permissions": {"allow": ["Read", "Edit"], "ask": ["Bash"], "deny": ["Bash(rm *)", "Read(.env)"]}, "timeout": 20}' ] ||
	fail "$(cat out)"

# check fails, with both places of each attempt, though the file merges.
runs 1 "$PLYFS" check -c plyfs.yaml
prints '1 file: all merge, 2 errors'
grep -q "^plyfs: user/settings.json:1:26: 'permissions.deny' is not loosened: it is bounded by union and has at least what team/settings.json:1:26 has (the bound is at plyfs.yaml:3:88)" err ||
	fail "$(cat err)"
grep -q "^plyfs: user/settings.json:1:58: 'mode' is not loosened: it is bounded by at_most and stays as team/settings.json:1:65 has it" err ||
	fail "$(cat err)"

# explain names the bound of each value.
runs 0 "$PLYFS" explain -c plyfs.yaml settings.json permissions.deny
grep -q 'part  \[\] .*user/settings.json:1:26 *bounded by union (plyfs.yaml:3:88)' out || fail "$(cat out)"
runs 0 "$PLYFS" explain -c plyfs.yaml settings.json timeout
grep -q '^timeout: 20 ' out || fail "$(cat out)"
grep -q 'lost  30 .*team/settings.json.*bounded by min' out || fail "$(cat out)"

# set, unset and edit refuse a change that a bound would undo, and make any other.
before=$(cat */settings.json)
runs 1 "$PLYFS" set -L user -c plyfs.yaml settings.json timeout 90
grep -q "'timeout' is not loosened: it is bounded by min" err || fail "$(cat err)"
runs 1 "$PLYFS" set -L user -c plyfs.yaml settings.json permissions.deny null
grep -q "'permissions.deny' is not loosened" err || fail "$(cat err)"
[ "$(cat */settings.json)" = "$before" ] || fail 'a layer was changed'
runs 0 "$PLYFS" set -L user -c plyfs.yaml settings.json timeout 10
runs 0 "$PLYFS" set -L user -c plyfs.yaml settings.json permissions.deny '["Bash(rm *)", "Read(.env)", "Bash(dd *)"]'
runs 0 "$PLYFS" cat -c plyfs.yaml settings.json
[[ $(shown) == *'"deny": ["Bash(rm *)", "Read(.env)", "Bash(dd *)"]'*'"timeout": 10'* ]] || fail "$(cat out)"

# A value that the bound can't use is an error with the remedy.
echo '{"mode": "alow"}' >user/settings.json
runs 1 "$PLYFS" cat -c plyfs.yaml settings.json
grep -q "user/settings.json:1:10: 'mode' is bounded by at_most, and this is not on its scale; write one of off, ask, allow" err ||
	fail "$(cat err)"

# YAML has a tag that removes.
settings 'rules: [{match: app.yaml, bounds: {deny: union}}]'
echo 'deny: [rm]' >team/app.yaml
echo 'name: x' >user/app.yaml
before=$(cat */app.yaml)
for key in deny 'deny[0]'; do
	runs 1 "$PLYFS" unset -L user -c plyfs.yaml app.yaml "$key"
	grep -q "'deny' is not loosened: it is bounded by union" err || fail "$key: $(cat err)"
done
[ "$(cat */app.yaml)" = "$before" ] || fail 'a layer was changed'
rm */app.yaml

# A bound without a value is reported, and a drop-in is a source like any other.
settings 'rules: [{match: x.yaml, dropins: uapi, bounds: {n: max, m: max}}]'
mkdir team/x.yaml.d
echo 'n: 3' >team/x.yaml
echo 'n: 2' >team/x.yaml.d/10.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml x.yaml
prints 'n: 3'
rm user/settings.json
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "team/x.yaml.d/10.yaml:1:4: 'n' is not loosened" err || fail "$(cat err)"
grep -q "the bound of 'm' has no effect yet" err || fail "$(cat err)"

settings 'rules: [{match: x.yaml, strategy: last, bounds: {n: max}}]'
runs 1 "$PLYFS" cat -c plyfs.yaml x.yaml
grep -q "'bounds' is for values, and the strategy 'last' merges whole files" err || fail "$(cat err)"
