#!/bin/bash
. "$(dirname "$0")/cli.sh"
need_mounting

runs 0 "$PLYFS" --help
grep -q '^usage: plyfs COMMAND' out
[ ! -s err ]
cp out list
for command in mount merge cat status; do
	grep -q "^  $command " list || fail "--help does not tell of $command"
	runs 0 "$PLYFS" help $command
	cp out wanted
	grep -q "^usage: plyfs $command " wanted
	runs 0 "$PLYFS" $command --help
	cmp wanted out
	runs 0 "$PLYFS" $command -h
	cmp wanted out
done
runs 0 "$PLYFS" --version
grep -qE '^plyfs [0-9]+\.[0-9]+\.[0-9]+$' out

# Every strategy and option is in the help text.
runs 0 "$PLYFS" merge --help
for word in deep last first concat lists= separator=; do
	grep -qE "^ +$word" out || fail "merge --help does not tell of $word"
done
