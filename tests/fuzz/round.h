/*
 * A written text reads back as the same values, and is then written as the same bytes.
 */
#pragma once

#include "cleanup.h"
#include "fuzz.h"
#include "scalar.h"

static inline bool round_is_same(const struct node *a, const struct node *b);

static inline bool round_is_same_scalar(const struct node *a, const struct node *b)
{
	enum scalar_type type = scalar_type(a);

	/* YAML 1.2 has no dates: one that a text with %YAML 1.1 has is written as its text. */
	if (type == SCALAR_TIMESTAMP && a->schema == NODE_YAML_1_1 && b->schema == NODE_YAML_1_2)
		return span_equal(a->text, b->text);
	if (type != scalar_type(b))
		return false;
	/* An empty value inside [] is written as null. */
	return type == SCALAR_NULL || span_equal(a->text, b->text);
}

/* Returns pair `i` of `a`, in `b`. TOML writes the values of a table in front of its tables. */
static inline bool round_is_same_pair(const struct node *a, const struct node *b, uint32_t i)
{
	const struct pair *pair = &a->map.pairs[i], *other = &b->map.pairs[i];

	if (!round_is_same(pair->key, other->key)) {
		other = node_is_scalar(pair->key) ? node_find(b, pair->key) : NULL;
		if (!other || !round_is_same(pair->key, other->key))
			return false;
	}
	return round_is_same(pair->value, other->value);
}

static inline bool round_is_same(const struct node *a, const struct node *b)
{
	bool is_equal = a->kind == b->kind && !a->tag == !b->tag;

	if (!is_equal || (a->tag && strcmp(a->tag, b->tag) != 0))
		return false;
	if (node_is_scalar(a))
		return round_is_same_scalar(a, b);
	if (node_is_sequence(a)) {
		is_equal = a->seq.count == b->seq.count;
		for (uint32_t i = 0; is_equal && i < a->seq.count; i++)
			is_equal = round_is_same(a->seq.items[i], b->seq.items[i]);
		return is_equal;
	}
	is_equal = a->map.count == b->map.count;
	for (uint32_t i = 0; is_equal && i < a->map.count; i++)
		is_equal = round_is_same_pair(a, b, i);
	return is_equal;
}

/* For a tree that was read in this format. */
static inline void round_check_own(const struct node *root, const struct read_options *options)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(document_freep) struct document *document = NULL;
	struct span text, again;

	if (arena_new(&arena) < 0 || !fuzz_write(root, options->format, arena, &text))
		return;
	fuzz_must_read(text, options, &document);
	if (document->count != 1)
		fuzz_stop("what was written is not one document", text);
	if (!round_is_same(root, document->roots[0]))
		fuzz_stop("what was written reads as something else", text);
	if (!fuzz_write(document->roots[0], options->format, arena, &again))
		fuzz_stop("what was written and read can't be written", text);
	if (!span_equal(text, again))
		fuzz_stop("what was written and read is written otherwise", again);
}

/*
 * For a tree of another format: the text must be readable in this format, and the tree that is
 * read is one of this format.
 */
static inline void round_check_other(
	const struct node *root, const struct format *format, const struct read_options *options)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(document_freep) struct document *document = NULL;
	struct read_options other = *options;
	struct span text;

	other.format = format;
	if (arena_new(&arena) < 0 || !fuzz_write(root, format, arena, &text))
		return;
	fuzz_must_read(text, &other, &document);
	for (size_t i = 0; i < document->count; i++)
		round_check_own(document->roots[i], &other);
}
