#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor site/deep other
echo 'a: 1' >vendor/app.yaml
echo 'a: 2' >site/app.yaml
ln -s ../site/app.yaml other/link.html
ln -s ../site/new.html other/nowhere.html
ln -s site also-site
blame=("$PLYFS" blame -l vendor:site)

# A file in a layer stays as it is, by whatever path it is named, and no new file comes into a layer.
for page in site/app.yaml vendor/page.html site/deep/page.html ./other/../site/page.html \
	other/link.html also-site/page.html "$PWD/site/page.html"; do
	runs 1 "${blame[@]}" --html "$page" app.yaml
	says "'$page' is in the layer"
	says "give a file elsewhere"
done
runs 1 "${blame[@]}" --html other/nowhere.html app.yaml
says 'is a link that leads nowhere'
# Nor by another name of it.
ln site/app.yaml other/hard.html
runs 1 "${blame[@]}" --html other/hard.html app.yaml
says "'other/hard.html' has other names (hard links)"
rm other/hard.html
[ "$(cat site/app.yaml)" = 'a: 2' ] || fail 'the source was overwritten'
[ "$(find vendor site -type f | sort | tr '\n' ' ')" = 'site/app.yaml vendor/app.yaml ' ] || fail 'files came'

# A misspelt option, not a file name.
runs 2 "${blame[@]}" --html --jsn app.yaml
says "'--jsn' looks like an option; write ./--jsn"
[ ! -e --jsn ]
runs 0 "${blame[@]}" --html ./--jsn app.yaml
[ -s ./--jsn ]

runs 1 "${blame[@]}" --html nothing/page.html app.yaml
says "can't write to 'nothing/page.html': there is no such file or directory"
mkdir page
runs 1 "${blame[@]}" --html page app.yaml
says "can't write to 'page': it is a directory"
runs 0 "${blame[@]}" --html other/page.html app.yaml
runs 0 "${blame[@]}" --html other/page.html app.yaml
runs 0 "${blame[@]}" --html /dev/null app.yaml

# A new page is for the user alone if a source is not for all. The mode of a page that is there is the user's.
chmod 755 .
for mode in 644 640 604 600; do
	rm -f other/page.html
	chmod $mode vendor/app.yaml
	runs 0 "${blame[@]}" --html other/page.html app.yaml
	[ "$mode" = 644 ] || mode=600
	[ "$(stat -c %a other/page.html)" = $mode ] || fail "the page has $(stat -c %a other/page.html), and not $mode"
done

# Nor is a source for all if only some users may enter the directory that it lies in, the layer, or one above that.
chmod 644 vendor/app.yaml
mkdir vendor/sub site/sub
cp vendor/app.yaml vendor/sub/app.yaml
echo 'a: 1' >site/sub/app.yaml
for closed in vendor vendor/sub site/sub .; do
	rm -f other/page.html
	chmod 710 $closed
	runs 0 "${blame[@]}" --html other/page.html sub/app.yaml
	[ "$(stat -c %a other/page.html)" = 600 ] || fail "$closed: the page has $(stat -c %a other/page.html)"
	chmod 755 $closed
done
rm other/page.html
runs 0 "${blame[@]}" --html other/page.html sub/app.yaml
[ "$(stat -c %a other/page.html)" = 644 ] || fail "the page has $(stat -c %a other/page.html)"

# Nor is another file that is merged in.
mkdir -p low/sub high/data high/sub
echo '_merge: [x]' | tee low/sub/app.yaml >low/app.yaml
echo 'a: 1' | tee high/sub/x.yaml >high/data/x.yaml
while read -r path data closed; do
	printf 'layers: [low, high]\nrules: [{match: %s, strategy: pillar, options: {data_path: %s}}]\n' $path $data >plyfs.yaml
	for mode in 710 755; do
		rm other/page.html
		chmod $mode $closed
		runs 0 "$PLYFS" blame -c plyfs.yaml --html other/page.html $path
		grep -q high/$data/x.yaml other/page.html || fail "$data/x.yaml is not merged in"
		[ "$(stat -c %a other/page.html)" = $([ $mode = 755 ] && echo 644 || echo 600) ] ||
			fail "$closed $mode: the page has $(stat -c %a other/page.html)"
	done
done <<-END
	app.yaml data high
	app.yaml data high/data
	sub/app.yaml sub high
	sub/app.yaml sub high/sub
END

chmod 644 other/page.html
runs 0 "${blame[@]}" --html other/page.html app.yaml
[ "$(stat -c %a other/page.html)" = 644 ] || fail "its mode was changed: $(stat -c %a other/page.html)"
