#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
for name in one two; do
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nprintf "%s: %%s\\n" $(cat "$1") >>%s/runs\n' "$name" "$PWD" >"$name.sh"
done
printf '#!/bin/sh\nexit 3\n' >bad.sh
chmod 755 ./*.sh
# pair COMMAND COMMAND: of *.conf, and of *.txt; "": none. The file madeN is there when these settings are in force.
number=0
pair() {
	number=$((number + 1))
	{
		echo 'layers: [low, high]'
		echo "files: [{path: made$number, from: [a.conf], strategy: last}]"
		echo 'rules:'
		echo "- {match: '*.conf'${1:+, on_change: [$PWD/$1, \"%f\"]}}"
		echo "- {match: '*.txt'${2:+, on_change: [$PWD/$2, \"%f\"]}}"
	} >settings.new
	mv settings.new plyfs.yaml
}
echo 1 | tee low/a.conf >low/b.txt
pair bad.sh bad.sh
start -c plyfs.yaml mnt
cat mnt/a.conf mnt/b.txt >/dev/null
echo 2 | replace low/a.conf
echo 2 | replace low/b.txt
has_failed() { "$PLYFS" status mnt | grep -q "bad.sh: failed"; }
eventually has_failed || fail "the command does not fail: $("$PLYFS" status mnt)"

# Each path waits for the command that the rules name for it now.
pair one.sh two.sh
has_runs() { [ "$(sort -u runs 2>/dev/null)" = "$1" ]; }
eventually has_runs $'one: a.conf\ntwo: b.txt' || fail "these ran: $(cat runs)"
is_well() { "$PLYFS" status --exit-code mnt >/dev/null && [ ! -s mnt/.plyfs/errors ]; }
eventually is_well || fail "the old command's failure stays: $("$PLYFS" status mnt)"
! "$PLYFS" status mnt | grep -q 'bad.sh: ended well' || fail "a run is made up: $("$PLYFS" status mnt)"

# Without a command nothing waits, and nothing is an error.
pair bad.sh bad.sh
comes_to_exist mnt/made$number
shows mnt/a.conf 2
eventually is_well
echo 3 | replace low/a.conf
eventually has_failed || fail "the command does not fail: $("$PLYFS" status mnt)"
pair "" ""
eventually is_well || fail "the failure of a command that is named no more stays: $("$PLYFS" status mnt)"
stop
