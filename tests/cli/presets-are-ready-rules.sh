#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir own installed vendor site
export PLYFS_PRESETS=own:installed
cat >installed/lists.yaml <<'END'
description: Lists are joined
rules:
  - match: "*.yaml"
    options: {lists: append}
END
cat >installed/other.yaml <<'END'
description: Another one
rules: [{match: "*.conf", format: yaml, options: {lists: append}}]
END
echo 'a: [1]' | tee vendor/app.yaml >vendor/app.conf
echo 'a: [2]' | tee site/app.yaml >site/app.conf
settings() { printf 'layers: [vendor, site]\noptions: {header: false}\n%s\n' "$1" >plyfs.yaml; }
shows() {
	runs 0 "$PLYFS" cat -c plyfs.yaml "$1"
	prints "$2"
}

# A preset's rules hold, also those of several presets. Without the preset they do not.
settings 'presets: [lists, other]'
shows app.yaml 'a: [1, 2]'
shows app.conf 'a: [1, 2]'
settings 'presets: []'
shows app.yaml 'a: [2]'
settings 'presets: [lists]'
shows app.conf 'a: [2]'
runs 0 "$PLYFS" check -W -c plyfs.yaml # a rule of a preset that matches nothing is not reported

# The user's own rules come first.
settings $'presets: [lists]\nrules: [{match: app.yaml, options: {lists: prepend}}]'
shows app.yaml 'a: [2, 1]'

# The first directory that has the preset counts.
printf 'description: Ours\nrules: [{match: "*.yaml", options: {lists: prepend}}]\n' >own/lists.yaml
settings 'presets: [lists]'
shows app.yaml 'a: [2, 1]'

# The presets are listed, and printed.
runs 0 "$PLYFS" presets
prints $'lists  Ours  (own/lists.yaml)\nother  Another one  (installed/other.yaml)'
runs 0 "$PLYFS" presets other
cmp out installed/other.yaml
runs 0 "$PLYFS" __complete presets ''
prints $'lists\tOurs\nother\tAnother one'
runs 1 "$PLYFS" presets lsts
says "there is no preset 'lsts', did you mean 'lists'? (there are: lists, other)"
runs 2 "$PLYFS" presets a b

# An error has its place: in plyfs.yaml, or in the preset.
settings 'presets: [othr]'
runs 1 "$PLYFS" cat -c plyfs.yaml app.yaml
grep -q "plyfs.yaml:3:11: there is no preset 'othr', did you mean 'other'? (there are: lists, other)" err || fail "$(cat err)"
settings 'presets: ["../own/lists"]'
runs 1 "$PLYFS" cat -c plyfs.yaml app.yaml
grep -q "plyfs.yaml:3:11: there is no preset '../own/lists'" err || fail "$(cat err)"
bad() {
	printf '%s\n' "$1" >own/bad.yaml
	settings 'presets: [bad]'
	runs 1 "$PLYFS" cat -c plyfs.yaml app.yaml
	grep -qF "plyfs: own/bad.yaml$2" err || fail "$(cat err)"
}
bad 'rules: [{match: "*.yaml", stategy: deep}]' ":1:27: unknown key 'stategy', did you mean 'strategy'?"
bad $'layers: [vendor]\nrules: []' ":1:1: unknown key 'layers' (allowed: description, rules)"
bad 'options: {on_error: fail}' ":1:1: unknown key 'options' (allowed: description, rules)"
bad 'description: nothing' ":1:1: the preset has no 'rules'; give it some"
bad 'rules: [{match: a, lock: {policy: x}}]' ":1:27: unknown layer 'policy'"
bad '' ": is empty; a preset has 'description' and 'rules'"
bad 'rules: [' ':1:8: '

# Commands of a preset count only if no other user can write the plyfs.yaml, …
printf 'rules: [{match: "*.yaml", check: [cat, "%%f"]}]\n' >own/bad.yaml
settings 'presets: [bad]'
chmod 666 plyfs.yaml
runs 1 "$PLYFS" cat -c plyfs.yaml app.yaml
grep -q 'plyfs.yaml:3:10: .*/plyfs.yaml has the mode 0666' err || fail "$(cat err)"
chmod 644 plyfs.yaml

# … or the preset itself.
runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
chmod 666 own/bad.yaml
runs 1 "$PLYFS" cat -c plyfs.yaml app.yaml
grep -q 'own/bad.yaml:1:3' err || fail "$(cat err)"

# A plyfs that is not installed has none, and says so.
mkdir empty
PLYFS_PRESETS=empty runs 0 "$PLYFS" presets
prints "There are no presets in empty; install plyfs, or set PLYFS_PRESETS to the sources' data/presets."
PLYFS_PRESETS=empty runs 1 "$PLYFS" presets lists
says "there is no preset 'lists', nor any other in empty; install plyfs, or set PLYFS_PRESETS"
PLYFS_PRESETS=empty runs 0 "$PLYFS" presets --json
