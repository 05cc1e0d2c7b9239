#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

mkdir -p low/dir high/dir
echo 'a: 1' | tee low/dir/app.yaml low/plain.yaml >/dev/null
ln -s itself low/itself
ln -s two high/one
ln -s one low/two
ln -s .. low/dir/up
ln -s dir low/link-to-dir
ln -s "$directory/low/dir/app.yaml" low/absolute.yaml
ln -s ./dir/../dir/app.yaml high/roundabout.yaml
ln -s nowhere high/plain.yaml
ln -s /etc/hostname high/outside
ln -s ../../.. high/up
ln -s plain.yaml low/over-a-file
echo file >high/over-a-file
start
for link in low/link-to-dir low/absolute.yaml high/plain.yaml high/outside high/up; do
	[ "$(readlink "mnt/${link#*/}")" = "$(readlink "$link")" ] || fail "$link has another target"
done
shows mnt/over-a-file file
for name in itself one two; do
	fails_with 'Too many levels of symbolic links' cat mnt/$name
done
shows mnt/dir/up/dir/up/dir/app.yaml 'a: 1'
shows mnt/link-to-dir/app.yaml 'a: 1'
shows mnt/absolute.yaml 'a: 1'
shows mnt/roundabout.yaml 'a: 1'
# A link belongs to one layer; another layer's file of the same name is not merged into it.
fails_with 'No such file' cat mnt/plain.yaml
[ "$(find mnt -type l | wc -l)" -eq 10 ] || fail "find sees: $(find mnt -type l)"

# It becomes a file, another link, and a directory; the kernel caches the targets of links.
rm high/plain.yaml
comes_to_show mnt/plain.yaml 'a: 1'
ln -sfn dir/app.yaml low/itself
comes_to_show mnt/itself 'a: 1'
rm low/link-to-dir
mkdir low/link-to-dir
echo 'b: 1' >low/link-to-dir/other.yaml
comes_to_show mnt/link-to-dir/other.yaml 'b: 1'
rm -r low/link-to-dir
ln -s dir low/link-to-dir
comes_to_show mnt/link-to-dir/app.yaml 'a: 1'
echo 'a: 2' | replace low/dir/app.yaml
comes_to_show mnt/link-to-dir/app.yaml 'a: 2'
comes_to_equal_fresh
