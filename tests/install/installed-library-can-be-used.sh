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

cat >use.c <<'END'
#include <stdio.h>
#include <document.h>
#include <merge.h>
#include <strategy.h>
#include <salt.h>
#include <scalar.h>

int main(void)
{
	const struct source source = {.name = "text", .layer = ""};
	const struct read_options options = {.format = &format_yaml};
	struct document *document;
	struct problem problem;

	if (document_read(&source, span_of("a: 1\n"), &options, &document, &problem) != 0)
		return 1;
	printf("%s %u\n", strategy_names(), document->roots[0]->map.count);
	document_free(document);
	return 0;
}
END
# If the build has sanitizers, the programs that use the library must have them, too.
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$(dirname "$pc")
flags=$(pkg-config --cflags --libs libplymerge)
sanitize=()
[ "${SANITIZE:-none}" = none ] || sanitize=("-fsanitize=$SANITIZE")
# shellcheck disable=SC2086 # words
"${CC:-cc}" -std=c17 -Wall -Werror "${sanitize[@]}" use.c -o use $flags
LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libplymerge.so)") runs 0 ./use
prints 'deep, salt, cfengine, cloud-init, pillar, last, first, concat, lines 1'
