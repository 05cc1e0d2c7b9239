/*
 * Notes: the extents (extent.h) of the nodes of a text, if read_options.wants_extents is set.
 *
 * A reader of nested collections passes the same nodes, in the same order, to the builder and to
 * the functions note_*(). In a map, each key goes before its value. The reader of a text with one
 * root may use extent_note_*() instead.
 */
#pragma once

#include "document.h"

struct builder;

/* For note_close(): the collection ends where its last entry ends. */
#define NOTE_LAST_ENTRY SIZE_MAX

/* A collection that is not closed yet. In a map, `key` may still wait for its value. */
struct open_extent {
	struct extent *extent;
	const struct node *key; /* NULL: no key waits, and the members below are not set */
	struct range key_range;
	size_t member_begin;
};

struct notes {
	struct open_extent *open;
	size_t depth;
	size_t open_capacity;

	struct extent **roots;
	size_t count;
	size_t capacity;
};

void notes_fini(struct notes *notes);

/** Returns whether the next node is a key of the innermost collection. */
static inline bool note_wants_key(const struct notes *notes)
{
	const struct open_extent *open = notes->depth ? &notes->open[notes->depth - 1] : NULL;

	return open && node_is_map(open->extent->node) && !open->key;
}

/**
 * Notes a scalar or an alias. The caller sets these members of `note`: `node`, `value`, `is_alias`
 * and `has_anchor`; for an item or a key, also `member.begin`, where its entry begins. Returns 0 or
 * -ENOMEM.
 */
int note_add(struct builder *builder, const struct extent *note);

/**
 * Notes the beginning of a map or list; note_close() sets its end. The members of `note` are set as
 * for note_add(). Returns 0 or -ENOMEM.
 */
int note_open(struct builder *builder, const struct extent *note);

/** Closes the innermost collection. `end` is the offset of its end, or NOTE_LAST_ENTRY. */
void note_close(struct builder *builder, size_t end);

/** Gives the extents to the document, whose roots are set already. Returns 0 or -ENOMEM. */
int notes_finish(struct notes *notes, struct document *document);

/* The attribute of functions that note extents: they are seldom called. */
#define EXTENT_NOTE_RARE __attribute__((cold, noinline))

/** Makes the root's extent, as yet without ranges. Returns NULL when there is no memory. */
struct extent *extent_note_begin(struct builder *builder, const struct node *root);

/** Adds an empty extent as the last entry of `in`. Returns NULL when there is no memory. */
struct extent *extent_note_add(struct builder *builder, struct extent *in);

/** Sets the keys of the extent to a copy of `keys`. Returns 0 or -ENOMEM. */
int extent_note_set_keys(struct builder *builder, struct extent *extent,
	const struct node *const *keys, uint32_t count);

/** Returns the range from `begin` to `end`, two places in the text that the builder reads. */
struct range extent_note_range(const struct builder *builder, const char *begin, const char *end);

/** Closes a collection without brackets, such as a section: it ends where its last entry ends. */
void extent_note_close(struct extent *extent);
