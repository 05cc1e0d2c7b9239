#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr python3
echo 'a: 1' >low/app.yaml
printf 'b: 1\nc: 1\n' >high/app.yaml
printf 'layers: [low, high]\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: 1\nb: 1\nc: 1'

# Times and ages vary.
calm() {
	sed -E 's/[0-9]{4}-[0-9-]+T[0-9:]+Z/TIME/g
		s/values of (a moment|[0-9]+ (second|minute)s?) ago/values of AGE ago/g
		s/settings of (a moment|[0-9]+ (second|minute)s?) ago/settings of AGE ago/g'
}
error() { attribute mnt/app.yaml user.plyfs.error; }
in_trouble() { [ -n "$(error)" ]; }
mended() { ! in_trouble; }
# The errors that `plyfs status` prints.
troubles() { "$PLYFS" status mnt | sed -n '/^$/,/^$/p' | sed 1d | calm; }
equals() { [ "$2" = "$3" ] || fail "$1: $2; and not: $3"; }

# No error yet.
"$PLYFS" status mnt >text
grep -q "^$PWD/mnt: plyfs [0-9]" text && grep -q "high  *$PWD/high$" text || fail "the status is: $(cat text)"
"$PLYFS" status --json mnt | python3 -m json.tool >/dev/null
equals errors "$(cat mnt/.plyfs/errors)" ''
"$PLYFS" status mnt | grep -qx '  errors      0'

printf 'b: 1\nc: &x *y\n' | replace high/app.yaml
eventually in_trouble || fail "the error is not seen"
message="$PWD/high/app.yaml:2:7: $(error | sed 's/^[^ ]* //; s/ (app.yaml.*//')"
line="$message (app.yaml, since TIME; its values of AGE ago stay, all others are the newest)"
equals attribute "$(error | calm)" "$line"
equals errors "$(calm <mnt/.plyfs/errors)" "$line"
equals log "$(grep high/ log | calm)" "plyfs: $line"
equals status "$(troubles)" "A file does not merge:
  app.yaml, since TIME; its values of AGE ago stay, all others are the newest:
    $message
      c: &x *y
            ^"
equals 'status --json' "$(status troubles 0 source):$(status troubles 0 line):$(status troubles 0 column): $(
	status troubles 0 message)" "$message"
[ "$(status troubles 0 serves)" = last-good-source ]
[ "$(status troubles 0 served_age_s)" -le $((SECONDS + 1)) ]
made=$(status troubles 0 served_since)

# The same mistake again is not reported again. Another one is, and the served version stays the same.
printf 'b: 1\nc: &x *y\n' | replace high/app.yaml
sleep 0.3
equals log "$(grep -c high/ log)" 1
printf 'b: 1\nccc: &x *y\n' | replace high/app.yaml
says_other() { [[ $(error) == "$PWD"/high/app.yaml:2:9:* ]]; }
eventually says_other || fail "the error stays: $(error)"
equals log "$(grep -c high/ log)" 2
[ "$(status troubles 0 served_since)" = "$made" ]
[[ $(troubles) == *$'\n      ccc: &x *y\n              ^' ]] || fail "status says: $(troubles)"

# Mended: the error is gone everywhere, and the log reports it once.
echo 'b: 2' | replace high/app.yaml
comes_to_show mnt/app.yaml $'a: 1\nb: 2'
eventually mended || fail "the error stays: $(error)"
equals errors "$(cat mnt/.plyfs/errors)" ''
equals 'status --json' "$(status troubles)" '[]'
"$PLYFS" status mnt | grep -qx '  errors      0'
equals log "$(grep -cx 'plyfs: app.yaml: repaired' log)" 1

# An error of the settings is reported in the same places.
printf 'layers: [low, high]\nrules: [{match: 1, strategi: last}]\n' >plyfs.yaml
eventually grep -q 'plyfs.yaml:2:' log
message="$PWD/plyfs.yaml:2:$(sed -n 's/.*plyfs.yaml:2:\(.*\) (since.*/\1/p' log)"
line="$message (since TIME; the settings of AGE ago are in force)"
equals log "$(grep plyfs.yaml: log | calm)" "plyfs: $line"
equals errors "$(calm <mnt/.plyfs/errors)" "$line"
equals status "$(troubles)" "The settings can't be used as they are, since TIME; the settings of AGE ago are in force:
    $message
      rules: [{match: 1, strategi: last}]
                         ^"
printf 'layers: [low, high]\n' >plyfs.yaml
eventually grep -qx 'plyfs: the settings can be used again' log
equals errors "$(cat mnt/.plyfs/errors)" ''
"$PLYFS" status mnt | grep -qx '  errors      0'
