#!/bin/bash
. "$(dirname "$0")/mount.sh"
# All other tests rely on this: however a test ends, its exit code is its result, and it leaves nothing.

need pgrep

cat >test.sh <<'TEST'
how=$1
. "$2"
echo "$directory" >"$3"
at_end 'touch "$(dirname "$test_file")/put-right"; false'
sleep 1000 &
echo $! >>"$3"
echo 'a: 1' >low/app.yaml
start
mkdir second
"$PLYFS" mount -f low:high second >>log 2>&1 &
eventually is_mounted "$directory/second"
case $how in
0) ;;
1) fail 'on purpose' ;;
77) skip 'on purpose' ;;
command) (exit 3) ;;
signal) kill $$ ;;
esac
TEST

while read -r how expected; do
	rm -f put-right
	code=0
	bash test.sh "$how" "$(dirname "$test_file")/mount.sh" "$PWD/told" >said 2>&1 </dev/null || code=$?
	[ $code -eq "$expected" ] || fail "$how: it ends with $code, not $expected: $(cat said)"
	{ read -r where && read -r stray; } <told
	[ ! -e "$where" ] || fail "$how: $where stays"
	! grep -qF "$where" /proc/self/mountinfo || fail "$how: a mount stays"
	! kill -0 "$stray" 2>/dev/null || fail "$how: a process stays"
	! pgrep -f "$where" >/dev/null || fail "$how: a process stays: $(pgrep -af "$where")"
	[ -e put-right ] || fail "$how: what was to be put right was not"
done <<'END_OF_WAYS'
0 0
1 1
77 77
command 3
signal 1
END_OF_WAYS
