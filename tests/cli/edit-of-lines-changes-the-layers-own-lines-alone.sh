#!/bin/bash
. "$(dirname "$0")/cli.sh"

# Of a file that joins the lines of several layers, an edit changes the lines of its layer that were changed, and
# copies no line of another layer.
mkdir v s
cat >plyfs.yaml <<-'END2'
	layers: [v, s]
	rules:
	  - {match: list, strategy: lines}
	  - {match: minus, strategy: lines, options: {remove: true}}
	  - {match: first, strategy: lines, options: {order: highest-first}}
	  - {match: ssh, strategy: concat, options: {order: highest-first, blocks: Match}}
END2
typed() { # CODE SED-SCRIPT FILE [OPTION…]
	local code=$1 script=$2 file=$3
	shift 3
	printf '#!/bin/sh\nexec sed -i "%s" "$1"\n' "$script" >editor
	chmod +x editor
	EDITOR="$PWD/editor" "$PLYFS" cat -c plyfs.yaml "$file" >wanted
	sed -i "$script" wanted
	runs "$code" env EDITOR="$PWD/editor" "$PLYFS" edit "$@" -c plyfs.yaml "$file"
	[ "$code" -ne 0 ] || "$PLYFS" cat -c plyfs.yaml "$file" | cmp - wanted || fail "$file: '$script' is not what shows"
}
# shellcheck disable=SC2059
has() { # FILE TEXT
	printf -- "$2" | cmp - "$1" || fail "$1 is: $(cat "$1")"
}

# The site's file has a line that the vendor has, too.
lines() {
	printf '# v\nalpha\nbeta\ngamma\n' >v/list
	printf 'omega\nalpha\n' >s/list
}
lines && typed 0 s/omega/OMEGA/ list && has s/list 'OMEGA\nalpha\n'
lines && typed 0 '$ a new' list && has s/list 'omega\nnew\nalpha\n'
lines && typed 0 '/omega/ i new' list && has s/list 'new\nomega\nalpha\n'
lines && typed 0 /omega/d list && has s/list 'alpha\n'
lines && printf 'one\nalpha\n\ntwo\nthree' >s/list
typed 0 's/one/1/; s/three/3/' list && has s/list '1\nalpha\n\ntwo\n3'
typed 0 '$ a four' list && has s/list '1\nalpha\n\ntwo\n3\nfour'
lines && printf 'omega\r\nalpha\r\n' >s/list
typed 0 '$ a new' list && has s/list 'omega\r\nnew\r\nalpha\r\n'

# What no line of the site's file makes is refused, and no line is copied to get it.
refuses() { # SED-SCRIPT FILE [OPTION…]
	cp -r v v.old && cp -r s s.old
	typed 1 "$@"
	grep -q "/$2: no change of this file's own lines makes the requested merged file, because 'lines' joins" err ||
		fail "it says: $(cat err)"
	diff -r v v.old && diff -r s s.old || fail "the refused edit has changed a file"
	rm -r v.old s.old
}
lines && refuses s/beta/BETA/ list && refuses /alpha/d list && refuses '$ a new' list -L v

# A line `-LINE` of the site's file stays, is added for another layer's line, and goes when the line comes back.
minus() {
	printf '# v\nalpha\nbeta\ngamma\n' >v/minus
	printf -- '-beta\nomega\n' >s/minus
}
minus && typed 0 s/omega/OMEGA/ minus && has s/minus '-beta\nOMEGA\n'
minus && typed 0 '$ a new' minus && has s/minus '-beta\nomega\nnew\n'
minus && typed 0 /omega/d minus && has s/minus '-beta\n'
minus && typed 0 '/alpha/d; s/omega/OMEGA/' minus && has s/minus '-beta\nOMEGA\n-alpha\n'
minus && typed 0 '/alpha/ a beta' minus && has s/minus 'omega\n'
minus && typed 0 '/gamma/ a beta' minus && has s/minus '-beta\nbeta\nomega\n'
minus && printf 'omega\ngamma\n' >s/minus
typed 0 /gamma/d minus && has s/minus 'omega\n-gamma\n'
rm s/minus
typed 0 /gamma/d minus && has s/minus '-gamma\n'

# With the highest layer first, a line of another layer can be moved up.
printf 'alpha\nbeta\n' >v/first
printf 'omega\nbeta\n' >s/first
typed 0 s/omega/OMEGA/ first && has s/first 'OMEGA\nbeta\n'
typed 0 '/alpha/d; 1 i alpha' first && has s/first 'alpha\nOMEGA\nbeta\n'

# Between the parts of other layers stand two parts of the site's file.
printf 'Port 22\nMatch user v\n  X no\n' >v/ssh
printf 'Port 23\nMatch user s\n  X yes\n' >s/ssh
typed 0 's/23/24/; s/yes/maybe/' ssh && has s/ssh 'Port 24\nMatch user s\n  X maybe\n'
