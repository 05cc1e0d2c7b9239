/*
 * A place in a tree that an input chooses, in the form that edits take; and a value to put there.
 */
#pragma once

#include "edit/edit.h"
#include "fuzz.h"

#define PLACE_STEPS_MAX 64

struct place {
	struct edit_step steps[PLACE_STEPS_MAX];
	size_t count;
	const struct node *value; /* the value that stands there; NULL: there is no such place */
};

static inline const struct node *place_find(
	struct place *place, const struct node *node, size_t depth, unsigned *left)
{
	const struct node *found = NULL;

	if (!(*left)--) {
		place->count = depth;
		return node;
	}
	for (uint32_t i = 0; !found && i < node_count(node) && depth < PLACE_STEPS_MAX - 1; i++) {
		place->steps[depth] = (struct edit_step){
			.key = node_is_map(node) ? node->map.pairs[i].key : NULL, .index = i};
		found = place_find(place, *node_entry(node, i), depth + 1, left);
	}
	return found;
}

/* Returns the place with that number, in the order of the text; the root is 0. */
static inline bool place_choose(struct place *ret, const struct node *root, unsigned number)
{
	*ret = (struct place){0};
	ret->value = root ? place_find(ret, root, 0, &number) : NULL;
	return ret->value;
}

/* Returns one of eight values, of all kinds. For document_free(). */
static inline struct document *place_new_value(unsigned number)
{
	static const char *const texts[] = {"1", "x", "'a: b'", "\"two\\nlines\\n\"", "{a: 1}",
		"[1, [x, {y: z}]]", "null", "{}"};
	const struct read_options options = {.format = &format_yaml, .limits = FUZZ_LIMITS};
	struct document *document = NULL;

	if (!fuzz_read(span_of(texts[number % 8]), &options, &document))
		abort();
	return document;
}
