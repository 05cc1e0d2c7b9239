#!/bin/bash
# Each fault of settings and layers is one line with what it costs and its remedy. Without the fault there is no line.
. "$(dirname "$0")/cli.sh"

need python3

# Mounts of other tests, and this machine's own faults, are in the output, too: only lines are compared.
# doctors ARGUMENT...: the exit status agrees with the output.
doctors() {
	local code=0
	"$PLYFS" doctor --color=never "$@" >out 2>err || code=$?
	! grep -E 'Sanitizer|runtime error' err || fail "'doctor $*' is not clean"
	[ ! -s err ] || fail "'doctor $*' says: $(cat err)"
	if grep -qx 'Nothing is wrong.' out; then
		[ $code -eq 0 ] || fail "'doctor $*' exits with $code: $(cat out)"
	else
		[ $code -eq 1 ] || fail "'doctor $*' exits with $code: $(cat out)"
	fi
}
finds() { grep -qxF -- "$1" out || fail "no '$1' in: $(cat out)"; }
finds_no() { ! grep -qF -- "$1" out || fail "'$1' is in: $(cat out)"; }

# What no other user can get to is not reported.
chmod 755 .
mkdir low high
echo 'a: 1' >low/app.yaml
mkdir "$PWD/bin"
printf '#!/bin/sh\n' >bin/checker
chmod 755 bin/checker

# Programs of checks and change hooks; one that a shell starts; and those that are there.
cat >plyfs.yaml <<END
layers: [low, high]
options: {on_change: [$PWD/gone, -x]}
rules:
  - {match: a.yaml, check: [no-such-check, "%f"]}
  - {match: b.yaml, check: {run: [sh, -c, 'no-such-tool check "\$1"', sh, "%f"], optional: true}}
  - {match: c.yaml, check: [$PWD/bin/checker, "%f"]}
  - {match: d.yaml, check: {run: [sh, -c, 'own() { :; }; own; /opt/no-such-path "\$1"', sh, "%f"], optional: true}}
  - {match: e.yaml, check: [no-such-check, "%f"]}
END
doctors plyfs.yaml
finds "plyfs.yaml:2:23: the program '$PWD/gone' is not installed, so it learns of no change; install it, or check where it is"
finds "plyfs.yaml:4:29: the program 'no-such-check' is not installed, so its files are not shown; install it, or check where it is"
finds "plyfs.yaml:5:35: the program 'no-such-tool' is not installed, so its files are shown unchecked; install it, or check where it is"
finds_no bin/checker
finds_no "'own'"
"$PLYFS" doctor -v plyfs.yaml >out || true
finds "plyfs.yaml:6:29: the program '$PWD/bin/checker' is installed"
doctors plyfs.yaml
finds_no no-such-path
[ "$(grep -c no-such-check out)" -eq 1 ] || fail "it is reported for each rule: $(cat out)"
chmod 644 bin/checker
doctors plyfs.yaml
finds "plyfs.yaml:6:29: the program '$PWD/bin/checker' can't be executed, so its files are not shown; give its user the right to run it"
# A program that only the environment's PATH has is not found: a check gets a PATH of its own.
cp bin/checker bin/no-such-check
chmod 755 bin/no-such-check
PATH=$PWD/bin:$PATH doctors plyfs.yaml
grep -q "'no-such-check' is not installed" out || fail "it searches where a check is not searched: $(cat out)"

# The users whom commands and mirrors run as.
cat >plyfs.yaml <<END
layers: [low, {name: store, git: {url: $PWD/none, ref: main, user: no-such-mirror, state: $PWD/state}}]
rules:
  - {match: a.yaml, check: {run: ["true", "%f"], user: no-such-checker}}
  - {match: b.yaml, check: {run: ["true", "%f"], user: root}, on_change: {run: ["true"], user: no-such-hook}}
END
doctors plyfs.yaml
finds "plyfs.yaml:3:35: there is no user 'no-such-checker' to run the program 'true' as, so its files are not shown; add the user, or correct 'user'"
finds "plyfs.yaml:4:81: there is no user 'no-such-hook' to run the program 'true' as, so it learns of no change; add the user, or correct 'user'"
finds "plyfs.yaml:1:34: there is no user 'no-such-mirror' for the mirror to run as; make it: useradd --system no-such-mirror; or give 'user'"
finds_no "user 'root'"
sed -i 's/"true", "%f"\], user/no-such-check, "%f"], user/' plyfs.yaml
doctors plyfs.yaml
finds "plyfs.yaml:3:35: there is no user 'no-such-checker' to run the program 'no-such-check' as, so its files are not shown; add the user, or correct 'user'"
[ "$(grep -c plyfs.yaml:3 out)" -eq 1 ] || fail "it says two things of one program: $(cat out)"

# A schema that can't be read, and one that can.
printf 'layers: [low]\nrules: [{match: "*.yaml", schema: none.json}]\n' >plyfs.yaml
doctors plyfs.yaml
grep -q '^plyfs.yaml:2:.*none.json' out || fail "$(cat out)"
echo '{}' >none.json
doctors plyfs.yaml
finds_no none.json

# A plyfs.yaml that others can write to.
chmod 666 plyfs.yaml
doctors plyfs.yaml
grep -q '^plyfs.yaml:.*plyfs.yaml has the mode 0666: chmod go-w it; another user decides what is shown$' out || fail "$(cat out)"
chmod 644 plyfs.yaml
doctors plyfs.yaml
finds_no 0666

# Every layer that can't be opened is named, and the others are examined all the same.
printf 'layers:\n  - none\n  - low\n  - {path: nothing, optional: true}\n  - plyfs.yaml\n' >layers.yaml
chmod o+w low/app.yaml
doctors layers.yaml
finds "layers.yaml:2:5: the layer directory 'none' does not exist; create it, or mark the layer 'optional: true'"
grep -q "^layers.yaml:5:5: the layer 'plyfs.yaml' is not a directory" out || fail "$(cat out)"
finds_no nothing
finds 'low: every user can write to 1 of its files and directories, such as low/app.yaml, and so decides what others read; chmod -R o-w low'
chmod o-w low/app.yaml
# What the layer excludes is no source.
mkdir low/.git
chmod o+w low/.git
doctors low:high
finds_no 'every user can write'
chmod o+w low
doctors low:high
finds 'low: every user can write to 1 of its files and directories, such as low, and so decides what others read; chmod -R o-w low'
chmod o-w low
# Other users can't get to it, so that they can't write to it.
chmod o+w low/app.yaml
chmod 750 low
doctors low:high
finds_no 'every user can write'
chmod 772 low
doctors low:high
finds_no 'every user can write'
chmod 755 low
chmod 700 .
doctors low:high
finds_no 'every user can write'
chmod 755 .
doctors low:high
finds 'low: every user can write to 1 of its files and directories, such as low/app.yaml, and so decides what others read; chmod -R o-w low'
chmod o-w low/app.yaml

# A layer that follows links: no one gives rights in the kernel's directories, and chmod -R follows no link.
mkdir linked elsewhere hidden hidden/open
echo 'a: 1' | tee elsewhere/app.yaml >hidden/open/app.yaml
chmod o+w elsewhere/app.yaml hidden/open/app.yaml
chmod 700 hidden
ln -s /proc /sys /dev "$PWD/elsewhere" "$PWD/hidden/open" linked
mkdir linked/..data
chmod o+w linked/..data
printf 'layers: [{path: linked, follow: true}]\n' >linked.yaml
doctors -v linked.yaml
finds 'linked: every user can write to 1 of its files and directories, such as linked/elsewhere/app.yaml, and so decides what others read; chmod o-w linked/elsewhere/app.yaml'
finds_no "can't read"
finds_no 'were looked at'
chmod o-w elsewhere/app.yaml
doctors -v linked.yaml
finds 'linked: in order'

# All programs are searched, however many there are.
{
	echo 'layers: [low]'
	echo 'rules:'
	for ((i = 0; i < 100; i++)); do echo "  - {match: $i.yaml, check: [no-such-check-$i, '%f']}"; done
} >many.yaml
doctors many.yaml
[ "$(grep -c no-such-check out)" -eq 100 ] || fail "it names $(grep -c no-such-check out) programs of 100"

doctors low:none
grep -q "^the layer directory 'none' does not exist" out || fail "$(cat out)"

# A name can't add a line, control the terminal, or end the quotes of a remedy.
odd=$'o\'dd\n\e[31m;x'
mkdir "$odd"
chmod 777 "$odd"
doctors "$odd"
! grep -q $'\e' out || fail "it steers the terminal: $(cat -v out)"
[ "$(grep -c 'every user can write' out)" -eq 1 ] || fail "it is not one line: $(cat out)"
mkdir $'back\xe2\x80\xaewards'
chmod 777 $'back\xe2\x80\xaewards'
doctors $'back\xe2\x80\xaewards'
grep -q 'every user can write' out || fail "$(cat out)"
! grep -qF $'\xe2\x80\xae' out || fail "it turns the line around: $(cat -v out)"
doctors --json "$odd"
python3 - "$odd" <<'END'
import json, subprocess, sys
found = json.load(open("out"))
mine, = [item for item in found["findings"] if "every user can write" in item["message"]]
assert mine["kind"] == "error" and found["errors"] >= 1, found
words = subprocess.run(["bash", "-c", "printf '%s\\0' " + mine["remedy"]], capture_output=True, check=True).stdout
assert words.split(b"\0")[:-1] == [b"chmod", b"-R", b"o-w", sys.argv[1].encode()], words
END

# A layer that this user can't read.
as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
	need setpriv
	cp -L "$PLYFS" plyfs
	chmod 755 . plyfs
	as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	PLYFS=$PWD/plyfs
	chown -R 65534:65534 low high
fi
chmod 000 low/app.yaml
mkdir high/closed
chmod 000 high/closed
[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 high
touch out err
chmod 666 out err
as_user "$PLYFS" doctor low:high >out 2>err || true
uid=$(as_user id -u)
finds "low: this user can't read 1 of its files and directories, such as low/app.yaml, so a mount of this user does not show what they hold; setfacl -R -m u:$uid:rX low"
finds "high: this user can't read 1 of its files and directories, such as high/closed, so a mount of this user does not show what they hold; setfacl -R -m u:$uid:rX high"
# A directory that may be listed and not searched.
chmod 744 high/closed
echo 'a: 1' >high/closed/inner.yaml
chmod 644 high/closed
[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 high
as_user "$PLYFS" doctor -v low:high >out 2>err || true
finds "high: this user can't read 1 of its files and directories, such as high/closed/inner.yaml, so a mount of this user does not show what they hold; setfacl -R -m u:$uid:rX high"
finds_no 'high: in order'
chmod 644 low/app.yaml
chmod 755 high/closed
as_user "$PLYFS" doctor -v low:high >out 2>err || true
finds 'low: in order'
finds 'high: in order'
finds_no "can't read"

# Root lacks a capability there, and no access list is its remedy.
if [ "$(id -u)" -eq 0 ]; then
	chmod 000 low/app.yaml
	setpriv --bounding-set=-all --inh-caps=-all "$PLYFS" doctor low:high >out 2>err || true
	finds "low: this user can't read 1 of its files and directories, such as low/app.yaml, so a mount of this user does not show what they hold; give plyfs the capability CAP_DAC_READ_SEARCH"
	finds "CAP_SYS_ADMIN: root lacks this capability here, so nothing can be mounted, and only 'plyfs render' works; give it to the container (--cap-add=SYS_ADMIN)"
	chmod 644 low/app.yaml
fi

# The libraries that settings need.
printf 'layers: [low]\nrules: [{match: user-data, strategy: cloud-init}]\n' >parts.yaml
chmod 644 parts.yaml
"$PLYFS" doctor -v parts.yaml >out || true
grep -q '^libgmime' out || fail "GMime is not looked at: $(cat out)"
"$PLYFS" doctor -v low >out || true
finds_no libgmime
printf 'layers: [low, {git: {url: "https://localhost/x"}, optional: true}]\n' >git.yaml
PATH=/nonexistent "$PLYFS" doctor git.yaml >out || true
finds 'git: is not installed, so no mirror can copy a layer out of git; apt install git'
if command -v git >/dev/null; then
	"$PLYFS" doctor git.yaml >out || true
	finds_no 'apt install git'
fi

# A layer out of a store that no mount has begun is no fault: a mount gets it.
printf 'layers: [low, {git: {url: "https://localhost/x", state: "%s"}}]\n' "$PWD/state" >git.yaml
doctors git.yaml
finds_no 'has no state'
doctors -v git.yaml
grep -q 'has no state' out || fail "$(cat out)"

# Wrong use.
runs 2 "$PLYFS" doctor --no-such low
runs 2 "$PLYFS" doctor -o no_such_option low
