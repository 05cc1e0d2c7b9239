#!/bin/bash
. "$(dirname "$0")/../cli/cli.sh"

. "$COMPLETION/plyfs.bash"
mkdir vendor venue 'with space'
touch plyfs.yaml venue.txt

# typing TEXT: sets COMPREPLY to what a tab then offers.
typing() {
	COMP_LINE=$1
	COMP_POINT=${#1}
	COMPREPLY=()
	_plyfs "$PLYFS"
}
# offers TEXT WORD...: exactly these, in any order.
offers() {
	typing "$1"
	[ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$(printf '%s\n' "${@:2}" | sort)" ] ||
		fail "'$1' offers: ${COMPREPLY[*]}; and not: ${*:2}"
}

# Exactly the commands and strategies of the help text are offered.
mapfile -t commands < <("$PLYFS" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
[ ${#commands[@]} -ge 4 ]
offers 'plyfs ' "${commands[@]}" help
mapfile -t strategies < <("$PLYFS" merge --help | sed -n '/^Strategies/,$s/^  \([a-z][a-z-]*\) .*/\1/p')
[ ${#strategies[@]} -eq 9 ]
offers 'plyfs merge -s ' "${strategies[@]}"
mapfile -t formats < <("$PLYFS" merge --help | sed -n '/^Formats/,/^Strategies/s/^  \([a-z][a-z-]*\) .*/\1/p')
[ ${#formats[@]} -ge 3 ]
for command in "${commands[@]}"; do
	typing "plyfs $command -"
	help=$("$PLYFS" "$command" --help)
	for option in "${COMPREPLY[@]}"; do
		grep -q -- "$option\|usage" <<<"$help" ||
			fail "'$option' is offered for '$command', which has no such option"
	done
done

offers 'plyfs me' merge
offers 'plyfs help sta' status
offers 'plyfs -' --help --version
offers 'plyfs xyzzy '
offers 'plyfs merge --s' --schema --schema-ref --set --strategy
offers 'plyfs set --k' --key
offers 'plyfs render --no-' --no-header --no-sandbox --no-landlock --no-seccomp
offers 'plyfs merge -s cl' cloud-init
offers 'plyfs merge --strategy cl' cloud-init
# Bash takes = for the end of a word.
offers 'plyfs merge --strategy=cl' cloud-init
offers 'plyfs merge --to ' "${formats[@]}"
offers 'plyfs merge --to j' json jsonc
offers 'plyfs merge --set ' lists= delete= kinds= documents=
offers 'plyfs merge -s salt --set ' level= tags=
offers 'plyfs merge --strategy=salt --set ' level= tags=
offers 'plyfs merge -s salt --set tags=t' true
offers 'plyfs merge -s cloud-init --set mergers=' part stack
offers 'plyfs merge -s xyzzy --set '
offers 'plyfs mount -o private,d' private,debug

offers 'plyfs merge p' plyfs.yaml
offers 'plyfs merge -- p' plyfs.yaml
offers 'plyfs mount ven' vendor venue venue.txt
# For layers, : ends a word as well.
offers 'plyfs mount vendor:ven' vendor venue venue.txt
offers 'plyfs cat -l vendor:ven' vendor venue
offers 'plyfs mount -c p' plyfs.yaml
offers 'plyfs mount -c plyfs.yaml ven' vendor venue venue.txt
offers 'plyfs mount vendor ven' vendor venue
offers 'plyfs status with' 'with space'

# KEYs of the file that is explained, with their contents; a dot in front stays.
printf 'server: {port: 80, hosts: [a]}\n"odd key": 1\nlong: 1\n' >vendor/app.yaml
offers 'plyfs explain -l vendor app.yaml ' server server.port server.hosts '\"odd\ key\"' long
offers 'plyfs explain -l vendor app.yaml ser' server server.port server.hosts
offers 'plyfs explain -l vendor app.yaml server.h' server.hosts 'server.hosts\[0\]'
offers 'plyfs explain --layers=vendor app.yaml .lo' .long
offers 'plyfs explain -l vendor nothing.yaml '
offers 'plyfs explain -l vendor app.yaml long '
# A name with dots or blanks may be typed with quotes or without, as it is a KEY in both forms.
printf 'spring.url=x\nspring.user=y\n' >vendor/app.properties
printf '"a.b": {c.d: 1, e: 2}\n' >vendor/dots.yaml
offers 'plyfs explain -l vendor app.properties spring.u' spring.url spring.user
offers 'plyfs explain -l vendor dots.yaml a' a.b 'a.b.\"c.d\"' a.b.e
offers 'plyfs explain -l vendor dots.yaml a.b.c' a.b.c.d
offers 'plyfs explain -l vendor dots.yaml \"a.b\".e' '\"a.b\".e'
offers 'plyfs explain -l vendor app.yaml odd\ ' 'odd\ key'
rm vendor/app.properties vendor/dots.yaml

# The value to set, and the layer.
offers 'plyfs set -l vendor app.yaml ser' server= server.port= server.hosts=
offers 'plyfs unset -l vendor app.yaml long ser' server server.port server.hosts
offers 'plyfs set -l vendor:venue -L ' vendor venue

# Paths of the layers, not of this directory: each once, a directory with its slash.
mkdir vendor/sub
touch vendor/sub/x.yaml vendor/.hidden venue/app.yaml venue/two.yaml
printf 'layers: [vendor, venue]\n' >plyfs.yaml
offers 'plyfs get -l vendor:venue ' app.yaml sub/ two.yaml
offers 'plyfs cat -c plyfs.yaml t' two.yaml
offers 'plyfs explain -c plyfs.yaml sub/' sub/x.yaml
offers 'plyfs set --layers=vendor .h' .hidden
offers 'plyfs hide -lvenue ' app.yaml two.yaml
offers 'plyfs edit -cplyfs.yaml t' two.yaml
offers 'plyfs diff -l venue nothing'
offers 'plyfs check -l venue two.yaml a' app.yaml
# Not a name with a line break, or a tab: the rest of it would be another word.
mkdir odd
touch odd/x $'odd/x\ny' $'odd/x\tz'
offers 'plyfs cat -l odd ' x
rm -r odd
# Nor the rest of a description.
mkdir $'odd\nvenue'
printf 'layers: [{name: up, path: "odd\\nvenue"}]\n' >odd.yaml
offers 'plyfs set -c odd.yaml -L ' up
mkdir presets
printf 'description: "one\\ntwo"\nrules: []\n' >presets/odd.yaml
PLYFS_PRESETS=$PWD/presets offers 'plyfs presets o' odd
[ "$(PLYFS_PRESETS=$PWD/presets "$PLYFS" __complete presets o)" = $'odd\tone' ] || fail 'the description is another'
rm -r odd.yaml presets $'odd\nvenue'
# Words in quotes. In them, bash takes : and = for no end of a word, nor behind a backslash.
offers 'plyfs mount "with s' 'with space'
offers "plyfs mount 'vendor:with s" 'vendor:with space'
offers 'plyfs mount "vendor":with\ s' 'with space'
offers 'plyfs mount vendor\:with\ s' 'vendor:with space'
offers 'plyfs merge --schema="venue.t' 'venue.txt'
offers 'plyfs merge "x=venue.t' 'x=venue.txt'
offers 'plyfs explain -c "plyfs.yaml" sub/' sub/x.yaml
offers "plyfs explain -l 'ven" 'vendor' 'venue'
# Mounts; there may be any here.
typing 'plyfs umount /'
[ -n "${COMPREPLY[*]}" ] || fail 'umount offers nothing'
