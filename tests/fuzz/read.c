/*
 * Whatever is read can be written, and what was written reads back as the same values.
 *
 * The first byte chooses: bit 0 JSON, bit 1 the YAML 1.2 schema, bit 2 double keys stay, bit 3 JSON
 * with comments, bit 4 TOML, bit 5 a format of lines, by the bits below.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "document.h"
#include "scalar.h"

/* Small, so that the fuzzer looks for other things than large aliases. */
#define FUZZ_LIMITS                                                                                \
	((struct limits){                                                                          \
		.source_bytes = 1u << 20, .result_bytes = 1u << 20, .depth = 64, .nodes = 20000})

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct format *const line_formats[] = {
	&format_ini, &format_systemd, &format_keyfile, &format_env, &format_properties};

static void stop(const char *rule, struct span text)
{
	fprintf(stderr, "%s; the text was:\n%.*s\n", rule, (int)text.len, text.data);
	abort();
}

static bool is_same(const struct node *a, const struct node *b);

static bool is_same_scalar(const struct node *a, const struct node *b)
{
	enum scalar_type type = scalar_type(a);

	if (type != scalar_type(b))
		return false;
	/* An empty value inside [] is written as null. */
	return type == SCALAR_NULL || span_equal(a->text, b->text);
}

/* Pair `i` of `a`, in `b`. TOML is written with the values of a table in front of its tables. */
static bool is_same_pair(const struct node *a, const struct node *b, uint32_t i)
{
	const struct pair *pair = &a->map.pairs[i], *other = &b->map.pairs[i];

	if (!is_same(pair->key, other->key)) {
		other = node_is_scalar(pair->key) ? node_find(b, pair->key) : NULL;
		if (!other || !is_same(pair->key, other->key))
			return false;
	}
	return is_same(pair->value, other->value);
}

static bool is_same(const struct node *a, const struct node *b)
{
	bool is_equal = a->kind == b->kind && !a->tag == !b->tag;

	if (!is_equal || (a->tag && strcmp(a->tag, b->tag) != 0))
		return false;
	if (node_is_scalar(a))
		return is_same_scalar(a, b);
	if (node_is_sequence(a)) {
		is_equal = a->seq.count == b->seq.count;
		for (uint32_t i = 0; is_equal && i < a->seq.count; i++)
			is_equal = is_same(a->seq.items[i], b->seq.items[i]);
		return is_equal;
	}
	is_equal = a->map.count == b->map.count;
	for (uint32_t i = 0; is_equal && i < a->map.count; i++)
		is_equal = is_same_pair(a, b, i);
	return is_equal;
}

static bool read_text(struct span text, const struct read_options *options, struct document **ret)
{
	const struct source source = {.name = "fuzz", .layer = "fuzz"};
	struct problem problem = {.line = 0};

	return document_read(&source, text, options, ret, &problem) == 0;
}

static bool write_text(
	const struct node *root, const struct format *format, struct arena *arena, struct span *ret)
{
	struct limits limits = FUZZ_LIMITS;
	struct problem problem = {.line = 0};

	return document_write(root, format, &limits, arena, ret, &problem) == 0;
}

/* Writes in the format that was read, reads, compares, and writes again. */
static void check_round(const struct node *root, const struct read_options *options)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(document_freep) struct document *document = NULL;
	struct span text, again;

	if (arena_new(&arena) < 0 || !write_text(root, options->format, arena, &text))
		return;
	if (!read_text(text, options, &document) || document->count != 1)
		stop("what was written can't be read", text);
	if (!is_same(root, document->roots[0]))
		stop("what was written reads as something else", text);
	if (!write_text(document->roots[0], options->format, arena, &again))
		stop("what was written and read can't be written", text);
	if (!span_equal(text, again))
		stop("what was written and read is written otherwise", again);
}

/* Writes in another format, which must at least be readable. */
static void check_other(
	const struct node *root, const struct format *format, const struct read_options *options)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(document_freep) struct document *document = NULL;
	struct read_options other = *options;
	struct span text;

	other.format = format;
	if (arena_new(&arena) < 0 || !write_text(root, other.format, arena, &text))
		return;
	if (!read_text(text, &other, &document))
		stop("what was written in the other format can't be read", text);
}

static void check_equality(const struct node *root)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct node *copy;

	if (arena_new(&arena) < 0)
		return;
	copy = node_copy(arena, root);
	if (copy && node_equal(copy, root) && node_hash(copy) != node_hash(root))
		stop("equal nodes have different hashes", span_of(""));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct read_options options = {.limits = FUZZ_LIMITS};

	if (!size)
		return 0;
	options.format = data[0] & 8 ? &format_jsonc : data[0] & 1 ? &format_json : &format_yaml;
	if (data[0] & 16)
		options.format = &format_toml;
	if (data[0] & 32)
		options.format = line_formats[(data[0] & 31) % 5];
	options.schema = data[0] & 2 ? NODE_YAML_1_2 : NODE_YAML_1_1;
	options.keep_duplicates = data[0] & 4;
	if (!read_text((struct span){(const char *)data + 1, size - 1}, &options, &document))
		return 0;
	for (size_t i = 0; i < document->count; i++) {
		check_round(document->roots[i], &options);
		for (const struct format *const *at = format_all(); *at; at++)
			if (*at != options.format)
				check_other(document->roots[i], *at, &options);
		check_equality(document->roots[i]);
	}
	return 0;
}
