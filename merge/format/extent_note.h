/*
 * Notes of extents (extent.h), made while a text with one root is read. Each reader checks
 * options->wants_extents itself.
 */
#pragma once

#include "builder.h"

/* For functions that note extents: compiled apart from the rest, as most reads want no extents. */
#define EXTENT_NOTE_RARE __attribute__((cold, noinline))

/** Makes the root's extent, still without a range. Returns NULL when there is no memory. */
struct extent *extent_note_begin(struct builder *builder, const struct node *root);

/** Adds an empty extent behind the others in `in`. Returns NULL when there is no memory. */
struct extent *extent_note_add(struct builder *builder, struct extent *in);

/** Gives the extent `count` keys. Returns 0 or -ENOMEM. */
int extent_note_set_keys(struct builder *builder, struct extent *extent,
	const struct node *const *keys, uint32_t count);

/** Returns the range from `begin` to `end` in the text that read() was given. */
static inline struct range extent_note_range(
	const struct builder *builder, const char *begin, const char *end)
{
	return (struct range){(size_t)(begin - builder->text), (size_t)(end - builder->text)};
}

/** Closes a collection without brackets, such as a section: it ends with its last entry. */
void extent_note_close(struct extent *extent);
