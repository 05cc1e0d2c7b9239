/*
 * Notes of extents (extent.h), made while a text with one root is read. (note.h is for formats with
 * nested collections.) Each reader checks read_options.wants_extents itself.
 */
#pragma once

#include "builder.h"

/* Marks functions that note extents as seldom called. */
#define EXTENT_NOTE_RARE __attribute__((cold, noinline))

/** Makes the root's extent, as yet without ranges. Returns NULL when there is no memory. */
struct extent *extent_note_begin(struct builder *builder, const struct node *root);

/** Adds an empty extent behind the others in `in`. Returns NULL when there is no memory. */
struct extent *extent_note_add(struct builder *builder, struct extent *in);

/** Sets the keys of the extent to a copy of `keys`. Returns 0 or -ENOMEM. */
int extent_note_set_keys(struct builder *builder, struct extent *extent,
	const struct node *const *keys, uint32_t count);

/** Returns the range from `begin` to `end`, two places in the text that the builder reads. */
static inline struct range extent_note_range(
	const struct builder *builder, const char *begin, const char *end)
{
	return (struct range){(size_t)(begin - builder->text), (size_t)(end - builder->text)};
}

/** Closes a collection without brackets, such as a section. It ends where its last entry ends. */
void extent_note_close(struct extent *extent);
