#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/silent.sh"

# A server answers some requests, and no more from then on: it may do so at any call of a command. The command ends,
# names the mount once, and leaves no pipe open.
echo 'low: 1' >low/app.yaml
export EDITOR=true VISUAL=
counts=(0 3 6 9 12 15 19)

# at_each_call ARGUMENT...: mid stands for a mount whose server answers so many requests.
at_each_call() {
	local count process processes=()
	mkdir "$1"
	cd "$1"
	for count in "${counts[@]}"; do
		mkdir "mid_$count"
		make_silent "mid_$count" "for_$count"
	done
	for count in "${counts[@]}"; do
		(
			said=$(timeout -s KILL $limit_s "$PLYFS" "${@//mid/mid_$count}" 2>&1 </dev/null) && code=0 || code=$?
			case $code in
			0) [[ $said != *"does not answer for"* ]] ;;
			1) [ "$(grep -c "mid_$count: does not answer for 5 s" <<<"$said")" -eq 1 ] ;;
			*) false ;;
			esac || fail "$*: after $count requests: exit status $code, and: $said"
			[ $code -eq 0 ] || touch "named_$count"
		) &
		processes+=($!)
	done
	for process in "${processes[@]}"; do
		wait "$process" || exit 1
	done
	[ -e named_0 ] || fail "$*: no mount was silent"
	for count in "${counts[@]}"; do
		umount -fl "mid_$count"
	done
}

# A few commands at once.
while read -r line; do
	processes=()
	while read -r arguments; do
		# shellcheck disable=SC2086
		(at_each_call $arguments) &
		processes+=($!)
	done < <(tr '|' '\n' <<<"$line")
	for process in "${processes[@]}"; do
		wait "$process" || exit 1
	done
done <<'COMMANDS'
cat -l ../low:mid app.yaml|get -l ../low:mid app.yaml half|explain -l ../low:mid app.yaml half
blame -l ../low:mid app.yaml|diff -l ../low:mid app.yaml|check -l ../low:mid
render -l ../low:mid out_mid|set -n -l ../low:mid app.yaml half 2
edit -l ../low:mid app.yaml|merge ../low/app.yaml mid/app.yaml
COMMANDS

# A message for programs is JSON, whichever process prints it.
mkdir last
make_silent last for_10
ends 1 "$PLYFS" cat --json -l low:last app.yaml
python3 -c 'import json, sys; assert "does not answer" in str([json.loads(line) for line in sys.argv[1].splitlines()])' "$said" ||
	fail "it is no JSON: $said"

# Exit codes, outputs and signals are as without an overseer.
mkdir whole
make_silent whole half_FORGET
[ "$("$PLYFS" cat -l low:whole app.yaml 2>/dev/null | tail -n 1)" = 'half: 1' ] || fail "the output is lost"
code=0
"$PLYFS" get -l low:whole app.yaml none 2>err | cat >out || code=${PIPESTATUS[0]}
[ "$code" -eq 1 ] && [ ! -s out ] && grep -q "has no 'none'" err || fail "exit status $code, and: $(cat err)"
seq 200000 | sed 's/^/k/; s/$/: 1/' >low/large.yaml
"$PLYFS" cat -l low:whole large.yaml | cmp -s - low/large.yaml || fail "a large output is cut"
{ timeout $limit_s "$PLYFS" cat -l low:whole large.yaml || echo $? >code; } | head -n 1 | grep -q 'k1: 1' || fail "it has no output"
[ "$(cat code)" -eq 141 ] || fail "its reader has ended, and it ends with $(cat code)"
mkfifo stays
EDITOR="sh -c 'echo \$\$ >started; exec cat stays'" "$PLYFS" edit -l low:whole app.yaml > >(cat >out) 2>&1 </dev/null &
editing=$!
eventually [ -s started ]
kill -TERM $editing
code=0
wait $editing || code=$?
kill "$(cat started)"
[ $code -eq 143 ] || fail "SIGTERM ends it with $code"
