#!/bin/bash
. "$(dirname "$0")/cli.sh"
expected=$(cd "$(dirname "$0")/blame" && pwd)

# shows GOLDEN: standard output was the content of that file.
shows() {
	diff -u "$expected/$1" out || fail "not as in $1"
}

mkdir low high
cat >low/app.yaml <<-'end'
	# comments are not merged
	server:
	  port: 80
	  hosts: [a]
	text: |
	  one

	    two
	old: 1
end
cat >high/app.yaml <<-'end'
	server:
	  port: 0644
	  hosts: !append [b]
	old: !delete
	log:
	- level: info
	  'to': "x"
end
mkdir low/d high/d
echo '{layers: [low, high], options: {header: false}}' >plain.yaml
runs 0 "$PLYFS" blame -c plain.yaml app.yaml
shows app.txt
runs 0 "$PLYFS" blame -c plain.yaml --json app.yaml
shows app.json
runs 0 "$PLYFS" blame -c plain.yaml --color=always app.yaml
shows app.colour.txt
runs 0 env NO_COLOR=1 "$PLYFS" blame -c plain.yaml --color auto app.yaml
shows app.txt
runs 0 "$PLYFS" blame -c plain.yaml ./d/../app.yaml
shows app.txt
# The comment on top comes from no source.
runs 0 "$PLYFS" blame -l low:high app.yaml
grep -qE '^-  +1\) #' out || fail "it begins: $(head -n 1 out)"
tail -n +2 out | grep -q '^-' && fail "a line has no source: $(cat out)"

# A block that ends its document ends before the mark of the next one, however the source goes on.
printf 'kind: K\nmetadata: {name: p}\nt: old\n---\nkind: K\nmetadata: {name: q}\n' >low/many.yaml
for rest in '' $'--- !delete\nkind: K\nmetadata: {name: r}\n'; do
	printf 'kind: K\nmetadata: {name: p}\nt: |\n  one\n  two\n%s' "$rest" >high/many.yaml
	runs 0 "$PLYFS" blame -c plain.yaml many.yaml
	grep -A3 ' t: ' out >part
	diff -u - part <<-'end' || fail 'of a block that ends its document'
		high  many.yaml:3  3) t: |
		high  many.yaml:4  4)   one
		high  many.yaml:5  5)   two
		-                  6) ---
	end
done

# Configured: a virtual file, whole files, other names of layers.
printf 'a\n\tb' >low/d/1
printf 'c\n' >high/d/2
cat >plyfs.yaml <<-'end'
	layers: [{name: vendor, path: low}, {name: site, path: high}]
	files: [{path: all, from: "d/*", strategy: concat, options: {separator: --}}]
	options: {header: false}
end
runs 0 "$PLYFS" blame -c plyfs.yaml all
prints $'vendor  d/1:1  1) a\nvendor  d/1:2  2) \tb\n-              3) --\nsite    d/2:1  4) c'
runs 0 "$PLYFS" blame -c plyfs.yaml d/1
prints $'vendor  d/1:1  1) a\nvendor  d/1:2  2) \tb'

# A file of one layer: too large to be merged; and one that does not parse, shown as it is.
{ echo first; head -c 5000000 /dev/zero | tr '\0' x; echo; echo last; } >low/large.conf
runs 0 "$PLYFS" blame -l low:high large.conf
[ "$(head -n 1 out)" = 'low  large.conf:1  1) first' ] || fail "it begins: $(head -n 1 out)"
[ "$(tail -n 1 out)" = 'low  large.conf:3  3) last' ] || fail "it ends: $(tail -n 1 out)"
echo 'a: [1' >low/broken.yaml
runs 0 "$PLYFS" blame -l low:high broken.yaml
prints 'low  broken.yaml:1  1) a: [1'
touch low/empty.yaml high/empty.yaml
runs 0 "$PLYFS" blame -l low:high empty.yaml
prints ''
runs 0 "$PLYFS" blame -l low:high --json empty.yaml
prints $'{\n  "path": "empty.yaml",\n  "strategy": "deep",\n  "lines": []\n}'

# Control characters in names and values are printed as text, so they can't steer a terminal.
name=$'n\n\033[31m\xff.yaml'
printf 'a: 1\n' >"low/$name"
printf 'a: "\\e\xe2\x80\xae"\nb: 2\n' >"high/$name"
runs 0 "$PLYFS" blame -l low:high "$name"
! grep -q '[^ -~]' out || fail "it steers: $(cat -v out)"
[ "$(wc -l <out)" -eq 3 ] || fail "not three lines: $(cat out)"
runs 0 "$PLYFS" blame -l low:high --json "$name"
! grep -q '[[:cntrl:]]' out || fail "it steers: $(cat -v out)"
printf 'x\033[31m\r\xff\xc2\x9b\xe2\x80\xae\0y\r\n' >low/raw.conf
runs 0 "$PLYFS" blame -l low:high raw.conf
prints 'low  raw.conf:1  1) x\x1B[31m\x0D\xFF\xC2\x9B\xE2\x80\xAE\x00y'

ln -s app.yaml low/link
echo 'b: [' | tee high/broken.yaml >low/both.yaml
echo 'c: 1' >high/both.yaml
runs 1 "$PLYFS" blame -l low:high nothing
says 'nothing: no layer has such a file'
runs 1 "$PLYFS" blame -l low:high link
says 'link: is a symbolic link (low/link); give the path that it leads to'
runs 1 "$PLYFS" blame -l low:high both.yaml
grep -q '^plyfs: low/both.yaml:1:4: ' err || fail "it says: $(cat err)"
runs 2 "$PLYFS" blame -l low:high
says 'a path is missing'
runs 2 "$PLYFS" blame -l low:high app.yaml all
says 'one path at a time'
runs 2 "$PLYFS" blame -l low -c plyfs.yaml app.yaml
says '-c and -l'
runs 2 "$PLYFS" blame -l low --json --html - app.yaml
grep -q '^{"error": {.*--json and --html' err || fail "it says: $(cat err)"
runs 2 "$PLYFS" blame -l low --color red app.yaml
says "not 'red'"
runs 2 "$PLYFS" blame low/app.yaml
says 'not in a plyfs mount'
if [ -c /dev/full ]; then
	runs 1 "$PLYFS" blame -l low:high --html /dev/full app.yaml
	says "can't write to '/dev/full': No space left on device"
fi
runs 1 "$PLYFS" blame -l low:high --html /nowhere/page.html app.yaml
says "can't write to '/nowhere/page.html': there is no such file or directory"
