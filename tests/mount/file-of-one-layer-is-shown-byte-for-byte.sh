#!/bin/bash
. "$(dirname "$0")/mount.sh"

printf '# comment\r\na:   [ 1,2 ]\r\n\n\nb: "x"' >low/odd.yaml
printf '{"b":1,\n"a" : [ ] }' >high/odd.json
head -c 100000 /dev/urandom >low/binary
head -c 20000000 /dev/urandom >high/large
: >low/empty.yaml
printf 'no: [valid' >low/not-yaml.txt
start

for file in low/odd.yaml high/odd.json low/binary high/large low/empty.yaml low/not-yaml.txt; do
	cmp "$file" "mnt/${file#*/}" || fail "$file comes out changed"
done
# In parts, too: from the middle, and behind the end.
cmp <(tail -c +15000001 high/large) <(tail -c +15000001 mnt/large)
[ "$(dd if=mnt/binary bs=1 skip=100000 2>/dev/null | wc -c)" -eq 0 ]
