#!/bin/bash
. "$(dirname "$0")/cli.sh"

# What a policy in the lowest layer denies, or does not allow, stays so, and the attempt is an error.
PLYFS_PRESETS=$(cd "$(dirname "$0")/../../data/presets" && pwd)
export PLYFS_PRESETS
binds() { # PRESET FILE POLICY LOOSER WANTED
	rm -rf policy own
	mkdir -p "policy/$(dirname "$2")" "own/$(dirname "$2")"
	printf 'layers: [policy, own]\npresets: [%s]\noptions: {header: false}\n' "$1" >plyfs.yaml
	echo "$3" >"policy/$2"
	echo "$4" >"own/$2"
	runs 1 "$PLYFS" check -c plyfs.yaml
	grep -q 'is not loosened' err || fail "$1: $(cat err)"
	runs 0 "$PLYFS" cat -c plyfs.yaml "$2"
	[ "$(tr -d ' \n' <out)" = "$5" ] || fail "$1: $(cat out)"
}
binds claude-code .claude/settings.json '{"permissions": {"deny": ["a"]}}' '{"permissions": null}' \
	'{"permissions":{"deny":["a"]}}'
binds claude-code claude-code/managed-settings.json '{"sandbox": {"filesystem": {"denyRead": ["a"]}}}' \
	'{"sandbox": {"filesystem": {"denyRead": []}}}' '{"sandbox":{"filesystem":{"denyRead":["a"]}}}'
binds codex codex/requirements.toml 'allowed_sandbox_modes = ["a"]' 'allowed_sandbox_modes = ["a", "b"]' \
	'allowed_sandbox_modes=["a"]'
binds gemini-cli .gemini/settings.json '{"tools": {"exclude": ["a"]}}' '{"tools": {"exclude": null}}' \
	'{"tools":{"exclude":["a"]}}'
