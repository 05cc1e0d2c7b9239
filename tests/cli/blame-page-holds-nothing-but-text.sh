#!/bin/bash
. "$(dirname "$0")/cli.sh"
expected=$(cd "$(dirname "$0")/blame" && pwd)

# Markup in names, keys, values, tags and in removed values.
name='<img src=x onerror=alert(1)>"'"'"'&.yaml'
mkdir '<i>low' high empty
cat >"<i>low/$name" <<-'end'
	a: 1
	"<b>": "</code><script>alert(1)</script>"
	"x\e[31m": "\u202Eevil \x07"
	text: |
	  <i>
	list: [1, 2]
	? {k: v}
	: &x "</title></style><script>"
	deep: {er: [{name: <p>}, {name: b, v: 1}]}
end
cat >"high/$name" <<-'end'
	a: !x%3Cy "</p>&amp;"
	"<b>": !delete
	list: !append ["<u>"]
	"x\e[31m": z
	deep: {er: !unique [{name: <p>}, c]}
end
cat >plyfs.yaml <<-'end'
	layers: [{name: <i>low, path: <i>low}, empty, high]
	options: {header: false}
end
runs 0 "$PLYFS" blame -c plyfs.yaml --html - "$name"
sed '/^<style>/,/^<\/style>/d' out >page
diff -u "$expected/hostile.html" page || fail 'not as in hostile.html'
runs 0 "$PLYFS" blame -l '<i>low:empty:high' --html file.html "$name"
runs 0 "$PLYFS" blame -l '<i>low:empty:high' --html - "$name"
cmp out file.html

# The page loads nothing and runs nothing.
! grep -iE '<script|<img|<link|<iframe|@import|url\(|https?:' out || fail 'it loads or runs something'
grep -q "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'" out

# A key of a megabyte is not repeated for every value in it.
mkdir one two
key=$(head -c 1000000 /dev/zero | tr '\0' k)
for layer in one two; do
	{
		echo "? $key"
		echo :
		seq -f "  k%g: $layer" 3000
	} >$layer/long.yaml
done
runs 0 timeout 60 "$PLYFS" blame -l one:two --html - long.yaml
[ "$(wc -c <out)" -lt 6000000 ] || fail "the page has $(wc -c <out) bytes"
grep -q 'k3000</h3>' out || fail 'k3000 is not told'

# Nor does a line of very many values take long; each has the colour of its own layer.
printf 'a: [%s]\n' "$(seq -s ', ' 50000)" >one/flow.yaml
printf 'a: !append [%s]\n' "$(seq -s ', ' 50001 100000)" >two/flow.yaml
runs 0 timeout 60 "$PLYFS" blame -l one:two --html - flow.yaml
[ "$(grep -o '<span class="v c1" title="two">' out | wc -l)" -eq 50000 ] || fail 'not in two colours'
grep -q '"v c1" title="two">100000</span>]</code>' out || fail 'the last item has no colour'
