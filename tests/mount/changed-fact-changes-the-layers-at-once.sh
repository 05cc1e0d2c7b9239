#!/bin/bash
. "$(dirname "$0")/mount.sh"

mkdir roles roles/web roles/db
echo 'a: low' >low/app.yaml
echo 'b: web' >roles/web/app.yaml
echo 'b: db' >roles/db/app.yaml
printf 'facts: facts.yaml\nlayers: [low, "roles/%%{role}"]\n' >plyfs.yaml
is_well() { [ ! -s mnt/.plyfs/errors ]; }
facts() { printf "$1" | replace facts.yaml; }
facts 'role: web\n'
start -c plyfs.yaml mnt
shows mnt/app.yaml $'a: low\nb: web'

# Negative twin: a fact that no path names changes nothing.
number=$(stat -c %i mnt/app.yaml)
facts 'role: web\nsite: fra1\n'
sleep 0.5
shows mnt/app.yaml $'a: low\nb: web'
[ "$(stat -c %i mnt/app.yaml)" = "$number" ] || fail "the file was shown anew"
eventually is_well || fail "$(cat mnt/.plyfs/errors)"

facts 'role: db\n'
comes_to_show mnt/app.yaml $'a: low\nb: db'

# A file that can't be used changes nothing, and is reported with its place.
reports() { grep -qF "$1" mnt/.plyfs/errors; }
keeps() {
	eventually reports "$1" || fail "$(cat mnt/.plyfs/errors)"
	shows mnt/app.yaml $'a: low\nb: db'
}
facts 'role: [\n'
keeps 'facts.yaml:1:7: '
facts 'role: ../low\n'
keeps "facts.yaml:1:7: the fact 'role' is '../low', and it has a slash"
facts 'site: fra1\n'
keeps "plyfs.yaml:2:15: unknown fact 'role'"
rm facts.yaml
keeps "plyfs.yaml:1:8: the facts "

facts 'role: web\n'
comes_to_show mnt/app.yaml $'a: low\nb: web'
eventually is_well || fail "$(cat mnt/.plyfs/errors)"
