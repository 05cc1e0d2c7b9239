#!/bin/bash
. "$(dirname "$0")/../cli/cli.sh"

# The hook takes an installed command first.
[ ! -e /usr/bin/plyfs ] || skip "plyfs is installed here"

# The hook of examples/initramfs finds the command where it was installed, also by hand, and each layer by its path.
mkdir -p 'a layer' base etc initramfs bin
echo 'a: 1' >base/app.yaml
echo 'a: 2' >'a layer/app.yaml'
cat >etc/initramfs.yaml <<END
layers:
  - $PWD/base
  - {name: the site, path: "$PWD/a layer"}
  - {path: $PWD/none, optional: true}
END
ln -s "$PLYFS" bin/plyfs
# As initramfs-tools' own function does.
cat >functions <<'END'
copy_exec() {
	[ -f "$1" ] || return 1
	mkdir -p "$DESTDIR$(dirname "${2:-$1}")"
	cp -L "$1" "$DESTDIR${2:-$1}"
}
END
sed -e "s|/etc/plyfs|$PWD/etc|; s|/usr/share/initramfs-tools/hook-functions|$PWD/functions|; s|/usr/local/bin|$PWD/bin|" \
	"$DOCS/../examples/initramfs/hooks/plyfs" >hook
DESTDIR=$PWD/initramfs PATH=/usr/bin:/sbin:/bin sh hook >out 2>&1 || fail "the hook fails: $(cat out)"
cmp "$PLYFS" initramfs/usr/bin/plyfs || fail "the command is not where the initramfs looks for it"
for file in etc/initramfs.yaml base/app.yaml 'a layer/app.yaml'; do
	cmp "$file" "initramfs$PWD/$file" || fail "$file is not there: $(find initramfs)"
done
