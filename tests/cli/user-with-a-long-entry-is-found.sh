#!/bin/bash
. "$(dirname "$0")/cli.sh"

# The fields of a user may be long: the full name, the home directory. Settings ask for its home, for %h and for the
# states of mirrors, and for its number, as a program may belong to the user it runs as.
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip 'no mount can be made here'
need setpriv
long=$(printf 'x%.0s' {1..9000})
printf '%s\n' "root:x:0:0:$long:$directory:/bin/sh" "nobody:x:65534:65534:$long:$directory:/bin/sh" \
	"long:x:4321:4321:$long:/:/bin/sh" >passwd
chmod 755 "$directory"
cp -L "$PLYFS" plyfs
mkdir low
echo 'a: 1' >low/app.yaml
printf '#!/bin/sh\n' >program
chmod 755 program
chown 1 program
echo "layers: ['%h/low']" >home.yaml
echo "layers: [low, {git: {url: 'https://h/r', ref: main}, optional: true}]" >store.yaml
printf 'layers: [low]\nrules: [{match: "*", check: {run: [%s, "%%f"], user: long}}]\n' "$directory/program" >user.yaml
export -f runs prints fail proposals_work
export directory
unshare -m bash -euc '
	mount --bind passwd /etc/passwd
	unset HOME XDG_STATE_HOME
	runs 0 ./plyfs cat -c home.yaml app.yaml
	prints "a: 1"
	runs 0 setpriv --reuid 65534 --clear-groups ./plyfs cat -c store.yaml app.yaml
	runs 1 ./plyfs cat -c user.yaml app.yaml
	grep -q "/program belongs to the user 1" err || fail "$(cat err)"'
