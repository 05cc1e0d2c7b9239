#!/bin/bash
# A large file takes long to compose. Until it is there, a lookup is answered with a placeholder; whatever happens
# meanwhile, the reader gets the file.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# Some seconds of reading, with one line of content.
comments() {
	printf '# a line of comment, as there are many in files that somebody sends round\n%.0s' {1..60000}
}
large() { # VALUE
	comments
	echo "a: $1"
}
settings() {
	echo "# $1"
	echo "options: {limits: {time: 60m, source: $((64 << 20))}}"
	echo 'layers:'
	for i in $(seq 48); do echo "  - {name: l$i, path: $PWD/low}"; done
	echo '  - high'
	echo "rules: [{match: \"*.other$1\", strategy: last}]"
}
# read_first PATH: begins to read what nobody has read; the reader's output is in `read`.
read_first() {
	local try
	for try in $(seq 20); do
		forget_names
		tail -n 1 "mnt/$1" >read 2>&1 &
		reader=$!
		sleep 0.2
		! kill -0 $reader 2>/dev/null || return 0
		wait $reader || fail "$what: $(cat read)"
	done
	fail "it took no time: $(cat read)"
}
read_ends() { # VALUE...
	local value
	wait $reader || fail "$what: $(cat read)"
	for value; do [ "$(cat read)" != "a: $value" ] || return 0; done
	fail "$what: it read '$(cat read)'"
}

large 1 >low/large.yaml
settings 0 >plyfs.yaml
start -c plyfs.yaml mnt

what="edits of plyfs.yaml"
read_first large.yaml
for i in 1 2 3 4 5 6 7 8; do
	settings $i >new.yaml
	mv new.yaml plyfs.yaml
	sleep 0.7
done
read_ends 1

what="other content than the kernel has forgotten, again and again"
change_again_and_again() {
	local i=1
	while :; do
		i=$((i + 1))
		large $i >new
		mv new low/large.yaml
		forget_names
		sleep 0.3
	done
}
change_again_and_again &
changer=$!
for _ in 1 2 3; do
	tail -n 1 mnt/large.yaml >read 2>&1 || fail "$what: $(cat read)"
	grep -qx 'a: [0-9]*' read || fail "$what: it read '$(cat read)'"
	forget_names
done
kill $changer
wait $changer 2>/dev/null || true

what="it goes"
large 6 >low/large.yaml
read_first large.yaml
rm low/large.yaml
! wait $reader || [ "$(cat read)" = 'a: 6' ] || fail "$what: it read '$(cat read)'"
! grep -i stale read || fail "$what"

if [ "$(id -u)" -eq 0 ]; then
	what="take-overs"
	large 7 >low/large.yaml
	read_first large.yaml
	renewed
	renewed
	renewed
	read_ends 7
	stop
fi
