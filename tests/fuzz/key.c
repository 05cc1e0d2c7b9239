/*
 * A KEY and a YAML document, with a byte 0xFF between them. The KEY leads to a value of the
 * document, to nothing, or is refused. The KEY that is printed for a value leads to that value.
 */
#include "key.h"
#include "cleanup.h"
#include "fuzz.h"
#include "scalar.h"

static void check_key(const struct node *root, const struct node *node, const struct key_text *text)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct span printed = key_text_span(text);
	struct problem problem;
	struct key key;

	if (arena_new(&arena) < 0)
		return;
	CLEANUP(freep) char *copy = strndup(printed.data, printed.len);
	if (!copy)
		abort();
	if (key_parse(copy, arena, &key, &problem) != 0)
		fuzz_stop(problem.message, printed);
	if (key_follow(&key, 0, root) != node)
		fuzz_stop("a KEY that is printed leads elsewhere", printed);
}

/*
 * Keys that are lists or maps are printed as [?], those with a NUL byte end there, tags are not
 * printed, and there may be several NaN.
 */
static bool has_printed_form(const struct node *key)
{
	return node_is_scalar(key) && !key->tag && !memchr(key->text.data, '\0', key->text.len) &&
	       scalar_equal(key, key);
}

static void check_keys(const struct node *root, const struct node *node, struct key_text *text)
{
	size_t len = text->len;

	check_key(root, node, text);
	for (uint32_t i = 0; i < node_count(node); i++) {
		const struct node *key = node_is_map(node) ? node->map.pairs[i].key : NULL;

		if (key && !has_printed_form(key))
			continue;
		if (key)
			key_text_put(text, key);
		else
			key_text_put_index(text, i);
		check_keys(root, *node_entry(node, i), text);
		key_text_cut(text, len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct read_options options = {.format = &format_yaml, .limits = FUZZ_LIMITS};
	struct fuzz_input input = {data, size};
	CLEANUP(fuzz_text_fini) struct span text = fuzz_text(&input);
	CLEANUP(fuzz_text_fini) struct span tree = fuzz_text(&input);
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct key_text printed = {0};
	struct problem problem;
	struct key key;

	if (arena_new(&arena) < 0)
		return 0;
	int r = key_parse(text.data, arena, &key, &problem);
	if (r == PROBLEM)
		fuzz_check_problem(&problem);
	if (!fuzz_read(tree, &options, &document) || !document->count)
		return 0;
	if (r == 0)
		(void)key_follow(&key, 0, document->roots[0]);
	/* Follows each KEY from the root. */
	if (document->roots[0]->weight < 1000)
		check_keys(document->roots[0], document->roots[0], &printed);
	key_text_fini(&printed);
	return 0;
}
