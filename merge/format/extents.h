/*
 * Notes extents (extent.h) while a text with one root is read. Each reader asks for options'
 * wants_extents itself, where it knows what stands where.
 */
#pragma once

#include "builder.h"

/* Of a function that notes: readers are laid out for being asked for none. */
#define EXTENTS_RARE __attribute__((cold, noinline))

/** The root's, which has no place before its entries are known. NULL: no memory. */
struct extent *extents_begin(struct builder *builder, const struct node *root);

/** A new one behind the others in `in`, still without anything. NULL: no memory. */
struct extent *extents_add(struct builder *builder, struct extent *in);

/** Gives it `count` keys. 0 or -ENOMEM. */
int extents_set_keys(struct builder *builder, struct extent *extent, const struct node *const *keys,
	uint32_t count);

/** What begins and ends there, in the text that read() was given. */
static inline struct range extents_range(
	const struct builder *builder, const char *begin, const char *end)
{
	return (struct range){(size_t)(begin - builder->text), (size_t)(end - builder->text)};
}

/** All entries of what has no brackets, as a section, are known: it ends with the last one. */
void extents_close(struct extent *extent);
