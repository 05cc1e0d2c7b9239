#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_root
need python3 setpriv
lists=$(dirname "$test_file")/access_lists.py
chmod 755 "$directory"
set_list() { # FILE ENTRIES…, each tag:perm:id
	python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import access_lists
access_lists.set_list(sys.argv[2], [tuple(int(part) for part in entry.split(":")) for entry in sys.argv[3:]])' \
		"$(dirname "$lists")" "$@"
}
touch low/probe
set_list low/probe 1:6:4294967295 2:0:1003 4:4:4294967295 16:4:4294967295 32:4:4294967295 2>/dev/null ||
	skip "no access lists on this file system"
python3 "$lists" make
printf 'secret: [' >low/broken.yaml
echo 'a: 1' >high/broken.yaml
set_list low/broken.yaml 1:6:4294967295 2:0:1003 4:4:4294967295 16:4:4294967295 32:4:4294967295
start low:high mnt
python3 "$lists" check || fail "rights are given that a list denies, see above"

# A denial that is added while the kernel knows the file counts for the next user who opens it, and so does one that is
# taken back. The mode stays the same.
as_other() { setpriv --reuid 1003 --regid 2009 --clear-groups "$@"; }
echo 'low: 1' >low/app.yaml
echo 'high: 1' >high/app.yaml
comes_to_show mnt/app.yaml $'low: 1\nhigh: 1'
as_other cat mnt/app.yaml >/dev/null
set_list high/app.yaml 1:6:4294967295 2:0:1003 4:4:4294967295 16:4:4294967295 32:4:4294967295
[ "$(stat -c %a high/app.yaml)" = 644 ] || fail "the test's list changes the mode"
denied() { ! as_other cat mnt/app.yaml >/dev/null 2>&1; }
eventually denied || fail "who is denied by a list still reads"
cat mnt/app.yaml >/dev/null
set_list high/app.yaml 1:6:4294967295 4:4:4294967295 32:4:4294967295
let_in() { as_other cat mnt/app.yaml >/dev/null 2>&1; }
eventually let_in || fail "who is no longer denied does not read"

# The same for a directory.
mkdir low/closed
echo 'key: 1' >low/closed/key.yaml
comes_to_show mnt/closed/key.yaml 'key: 1'
as_other cat mnt/closed/key.yaml >/dev/null
set_list low/closed 1:7:4294967295 2:0:1003 4:5:4294967295 16:5:4294967295 32:5:4294967295
denied() { ! as_other cat mnt/closed/key.yaml >/dev/null 2>&1; }
eventually denied || fail "who is denied a directory by a list still reads in it"

# A file that never was good shows the reason only to users who may read it.
fails_with 'Input/output error' cat mnt/broken.yaml
fails_with 'Permission denied' as_other cat mnt/broken.yaml
