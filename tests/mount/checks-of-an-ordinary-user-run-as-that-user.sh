#!/bin/bash
. "$(dirname "$0")/mount.sh"

need_user_mounts
need_root
# The user owns everything, mounts, and the check runs as that user.
mkdir -m 755 home
chmod 755 .
# A copy of the command: other users may not be able to reach the build.
cp -L "$PLYFS" plyfs
chmod 755 plyfs
PLYFS=$directory/plyfs
mkdir home/low home/mnt
cat >home/plyfs.yaml <<YAML
layers: [low]
rules:
  - {match: "app.yaml", check: [sh, -c, 'id -u >$PWD/home/who; grep -q good "\$1"', sh, "%f"], on_change: [sh, -c, 'id -u >$PWD/home/told']}
  - {match: "other.yaml", check: {run: ['true', "%f"], user: root}}
YAML
echo 'a: good' >home/low/app.yaml
echo 'a: good' >home/low/other.yaml
chown -R 1000:1000 home
as() { setpriv --reuid=1000 --regid=1000 --clear-groups env HOME="$PWD/home" "$@"; }
as "$PLYFS" mount -c home/plyfs.yaml home/mnt 2>err || fail "he can't mount: $(cat err)"
at_end 'umount -l home/mnt'
[ "$(as cat home/mnt/app.yaml)" = 'a: good' ] || fail "he reads: $(as cat home/mnt/app.yaml 2>&1)"
is home/who 1000 || fail "the check was run as $(cat home/who)"
! as cat home/mnt/other.yaml >/dev/null 2>&1 || fail "a check was run as another user"
as cat home/mnt/.plyfs/errors | grep -q "can't be run: becoming the user 'root': Operation not permitted" ||
	fail "it is not told: $(as cat home/mnt/.plyfs/errors)"
as sh -c 'echo "a: good 2" >home/low/new && mv home/low/new home/low/app.yaml'
eventually test -s home/told || fail "on_change was not run"
is home/told 1000 || fail "on_change was run as $(cat home/told)"

# A command in a file that other users own or can write does not count.
chmod 666 home/plyfs.yaml
! as "$PLYFS" check -c home/plyfs.yaml 2>err || fail "settings that anybody can write have commands"
grep -q 'chmod go-w it' err
chmod 644 home/plyfs.yaml
! "$PLYFS" check -c home/plyfs.yaml 2>err || fail "root runs another user's commands"
grep -q 'belongs to the user 1000: chown it to root' err || fail "it says: $(cat err)"
