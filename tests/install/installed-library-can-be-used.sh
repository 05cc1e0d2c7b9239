#!/bin/bash
. "$(dirname "$0")/../cli/cli.sh"

need meson pkg-config
root=$directory/root
DESTDIR=$root runs 0 meson install -C "$BUILD" --no-rebuild --quiet
pc=$(find "$root" -name libplymerge.pc)
prefix=$root$(sed -n 's/^prefix=//p' "$pc")
for file in bin/plyfs share/doc/plyfs/guide.md share/doc/plyfs/merge-rules.md share/doc/plyfs/fleet.md share/plyfs/plyfs.schema.json \
	share/doc/plyfs/examples/plyfs.yaml share/bash-completion/completions/plyfs \
	share/zsh/site-functions/_plyfs share/fish/vendor_completions.d/plyfs.fish; do
	[ -s "$prefix/$file" ] || fail "$file is not installed"
done
# The example names the installed schema.
named=$(sed -n 's/.*\$schema=//p' "$prefix/share/doc/plyfs/examples/plyfs.yaml")
[ -s "$root$named" ] || fail "the example names '$named', which is not there"
runs 0 "$prefix/bin/plyfs" cat -c "$prefix/share/doc/plyfs/examples/plyfs.yaml" jobs.yaml motd

# If the build has sanitizers, the programs that use the library must have them, too.
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$(dirname "$pc")
flags=$(pkg-config --cflags --libs libplymerge)
sanitize=()
[ "${SANITIZE:-none}" = none ] || sanitize=("-fsanitize=$SANITIZE")
library=$(dirname "$(find "$root" -name libplymerge.so)")
headers=$prefix/include/plymerge
# Two packages of one version of plyfs, each with its interface, have no file in common.
[[ $(readlink -f "$library/libplymerge.so") == */libplymerge.so.2.* ]] || fail "$(ls -l "$library")"
# shellcheck disable=SC2086 # words
compiles() {
	"${CC:-cc}" -std=c17 -D_GNU_SOURCE -Wall -Werror "${sanitize[@]}" "$1.c" -o "$1" $flags
}

# The example of the library runs.
cp "$prefix/share/doc/plyfs/examples/library/merge.c" .
compiles merge
printf 'port: 80\nhosts: [a]\n' >low.yaml
printf 'hosts: [b]\nport: 90\n' >high.yaml
LD_LIBRARY_PATH=$library runs 0 ./merge low.yaml high.yaml
prints 'port: 90
hosts: [a, b]
# port
#   high.yaml:2:7
#   low.yaml:1:7 (lost)
# hosts
#   low.yaml:2:8
#   high.yaml:1:8 (a part)'
echo 'port: [' >high.yaml
LD_LIBRARY_PATH=$library runs 1 ./merge low.yaml high.yaml

# Each header can be included alone.
for header in "$headers"/*.h "$headers"/edit/*.h; do
	echo "#include <${header#"$headers/"}>" >alone.c
	# shellcheck disable=SC2046 # words
	"${CC:-cc}" -std=c17 -D_GNU_SOURCE -Wall -Werror -fsyntax-only alone.c $(pkg-config --cflags libplymerge)
done

# The interface of the soname: the exported names, each of which an installed header declares, and the sizes of the
# structs that programs make.
names=$(nm -D --defined-only "$library"/libplymerge.so | sed -n 's/.* [TDRB] \(.*\)@@PLYMERGE_2$/\1/p' | LC_ALL=C sort)
listed=$(sed '/^\/\*/,/\*\//d; s/\/\*.*\*\///' "$INTERFACE" | tr ';' '\n' | sed -n 's/^[[:space:]]*\([a-z_0-9]\+\)[[:space:]]*$/\1/p' |
	LC_ALL=C sort)
[ "$names" = "$listed" ] || fail "exported: $(diff <(echo "$names") <(echo "$listed"))"
for name in $names; do
	grep -qrw "$name" "$headers" || [[ $name == format_* ]] || fail "no installed header declares $name"
done

# A struct of another size needs another soname, too. Strategies and formats are made by the library alone.
sizes() {
	local header name
	echo '#include <stdio.h>'
	for header in "$headers"/*.h "$headers"/edit/*.h; do
		echo "#include <${header#"$headers/"}>"
	done
	echo 'int main(void) {'
	for name in $(cat "$headers"/*.h "$headers"/edit/*.h | sed -n 's/^struct \([a-z_]\+\) {$/\1/p' |
		grep -vxE 'budget|format|merge|merge_output|strategy' | LC_ALL=C sort); do
		echo "printf(\"$name %zu\\n\", sizeof(struct $name));"
	done
	echo 'return 0; }'
}
[ "$(uname -m)" = x86_64 ] || exit 0
sizes >sizes.c
compiles sizes
LD_LIBRARY_PATH=$library runs 0 ./sizes
diff -u "$SIZES" out || fail "the structs of libplymerge.so.2 have changed"
