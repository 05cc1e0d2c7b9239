/*
 * Any text that can be read can be written, and the written text reads back as the same values.
 * There is one program for each format, FUZZ_FORMAT (meson.build).
 *
 *      byte 0: bit 0 the YAML 1.2 schema, bit 1 double keys stay, bit 2 as PyYAML, bit 3 extents.
 *      Then the text.
 */
#include "round.h"

static void check_equality(const struct node *root)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct node *copy;

	if (arena_new(&arena) < 0)
		return;
	copy = node_copy(arena, root);
	if (copy && node_equal(copy, root) && node_hash(copy) != node_hash(root))
		fuzz_stop("equal nodes have different hashes", span_of(""));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	const uint8_t flags = fuzz_byte(&input);
	const struct read_options options = {
		.format = &FUZZ_FORMAT,
		.schema = flags & 1 ? NODE_YAML_1_2 : NODE_YAML_1_1,
		.keep_duplicates = flags & 2,
		.as_pyyaml = flags & 4,
		.wants_extents = flags & 8,
		.limits = FUZZ_LIMITS,
	};
	CLEANUP(document_freep) struct document *document = NULL;
	/* Memory of its own, so that a read past its end shows. */
	CLEANUP(freep) char *copy = malloc(input.size + !input.size);

	if (!copy)
		abort();
	if (input.size)
		memcpy(copy, input.data, input.size);
	if (!fuzz_read((struct span){copy, input.size}, &options, &document))
		return 0;
	for (size_t i = 0; i < document->count; i++) {
		round_check_own(document->roots[i], &options);
		/* Other formats have no double keys, and no caller writes a tree that has some. */
		for (const struct format *const *at = format_all(); *at; at++)
			if (*at != options.format && !options.keep_duplicates)
				round_check_other(document->roots[i], *at, &options);
		check_equality(document->roots[i]);
	}
	return 0;
}
