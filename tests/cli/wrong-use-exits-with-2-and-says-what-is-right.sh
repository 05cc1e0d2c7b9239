#!/bin/bash
. "$(dirname "$0")/cli.sh"
need_mounting

runs 2 "$PLYFS"
prints ''
"$PLYFS" --help >help
cmp help err || fail 'without a command it does not tell how it is called'
runs 2 "$PLYFS" mrege
says "did you mean 'merge'?"
runs 2 "$PLYFS" mont a b
says "did you mean 'mount'?"
runs 2 "$PLYFS" xyzzy
says 'there are: mount'
runs 2 "$PLYFS" help xyzzy
says "no command 'xyzzy'"
runs 2 "$PLYFS" --nonsense
says "'--nonsense'"

touch f.yaml
runs 2 "$PLYFS" merge
says 'a file is missing'
for former in --watch -w -w0; do
	runs 2 "$PLYFS" merge $former f.yaml
	says "'plyfs render --watch'"
done
# Neither former options nor those for other programs are proposed.
for hidden in merge\ --{wach,nul,nulll} mount\ --take-over-aks umount\ --{verbsoe,no-mtba}; do
	# shellcheck disable=SC2086 # two words
	runs 2 "$PLYFS" $hidden f.yaml
	[[ $(cat err) != *'did you mean'* ]] || fail "$hidden: $(cat err)"
done
runs 2 "$PLYFS" merge --nonsense f.yaml
says "no option '--nonsense'"
runs 2 "$PLYFS" merge --stratgy last f.yaml
says "no option '--stratgy'; did you mean '--strategy'?"
runs 2 "$PLYFS" merge --sett=lists=append f.yaml
says "no option '--sett'; did you mean '--set'?"
runs 2 "$PLYFS" explain --hlep
says "did you mean '--help'?"
runs 2 "$PLYFS" merge -q f.yaml
says "no option '-q'"
for before in --header --to=json; do
	runs 2 "$PLYFS" merge $before -Xn f.yaml
	says "no option '-X'"
done
runs 2 "$PLYFS" merge --header=x -Xn f.yaml
says "'--header=x' takes no value"
runs 2 "$PLYFS" merge f.yaml -s
says "'-s' needs a value"
runs 2 "$PLYFS" merge f.yaml --to
says "'--to' needs a value"
runs 2 "$PLYFS" merge --help=x f.yaml
says 'takes no value'
runs 2 "$PLYFS" merge --to xml f.yaml
says 'there are: yaml, json'
runs 2 "$PLYFS" merge -s dep f.yaml
says "did you mean 'deep'?"
runs 2 "$PLYFS" merge -s xyzzy f.yaml
says 'there are: deep'
runs 2 "$PLYFS" merge -s last --to json f.yaml
says 'copies whole files'
runs 2 "$PLYFS" merge --set lists f.yaml
says 'NAME=VALUE'
runs 2 "$PLYFS" merge --set lists=apend f.yaml
says '--set lists:1:1: '
runs 2 "$PLYFS" merge --set list=append f.yaml
says 'it has: lists'
runs 2 "$PLYFS" merge --set 'lists=[' f.yaml
says '--set lists:'
runs 2 "$PLYFS" merge --set $'lists=--- a\n--- b' f.yaml
says 'one document'

# A second value would silently replace the first.
runs 2 "$PLYFS" set -l . --layers=f.yaml x a 1
says "'.' and 'f.yaml' are values of one option"
runs 2 "$PLYFS" cat -c f.yaml -c g.yaml x
says "'f.yaml' and 'g.yaml' are"
runs 2 "$PLYFS" set -L a -L b -l . x a 1
says "'a' and 'b' are"

runs 2 "$PLYFS" cat
says 'a path is missing'
runs 2 "$PLYFS" cat -c f.yaml -l . x
says 'give one'
runs 2 "$PLYFS" cat f.yaml
says 'not in a plyfs mount'
runs 1 "$PLYFS" none.yaml mnt -o rw
says "none.yaml: can't be opened: there is no such file"
runs 2 "$PLYFS" mount
says 'missing'
runs 2 "$PLYFS" mount .
says 'the mountpoint is missing'
runs 2 "$PLYFS" mount -c f.yaml
says 'the mountpoint is missing'
runs 2 "$PLYFS" mount a b c
says "'c' is one too many"
runs 2 "$PLYFS" mount -o nonsense a b
says "no mount option 'nonsense'; there are: allow_other"
runs 2 "$PLYFS" mount -o noheadr a b
says "no mount option 'noheadr'; did you mean 'noheader'?"
runs 2 "$PLYFS" mount -o header=1 a b
says "the mount option 'header' takes no value; leave it out"
runs 2 "$PLYFS" help mount status
says "'status' is one too many"
runs 2 "$PLYFS" mount -o private,allow_other a b
says 'contradict'
runs 2 "$PLYFS" mount -o coherence=strict a b
says 'plyfs.yaml'
runs 2 "$PLYFS" mirror
says 'mirror: the kind of mirror is missing; give etcd or git'
runs 2 "$PLYFS" mirror gti url directory
says "mirror: there is no kind of mirror 'gti'; give etcd or git"
runs 2 "$PLYFS" status a b
says "'b' is one too many"
