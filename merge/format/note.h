/*
 * Notes: where what a reader finds stands in the text (extent.h), for readers of formats whose
 * collections lie in each other. The reader tells of each node as it does the builder, in the same
 * order; of a map first a key, then its value.
 */
#pragma once

#include "document.h"

struct builder;

/* To note_close(): the collection ends where its last entry does. */
#define NOTE_LAST_ENTRY SIZE_MAX

/* A node that was found. */
struct noted_node {
	const struct node *node;
	struct range range; /* with its tag and anchor; of a collection, `end` comes at its close */
	size_t member_begin; /* of an item or a key: where its entry begins */
	bool is_alias;
	bool has_anchor;
};

/* A collection that is not closed yet, and what of a pair is known of it. */
struct open_extent {
	struct extent *extent;
	bool is_key; /* in the map around it */
	bool has_key;
	const struct node *key;
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

/** Whether a key of the innermost collection comes next. */
static inline bool note_wants_key(const struct notes *notes)
{
	const struct open_extent *open = notes->depth ? &notes->open[notes->depth - 1] : NULL;

	return open && node_is_map(open->extent->node) && !open->has_key;
}

/** A scalar or an alias. 0 or -ENOMEM. */
int note_add(struct builder *builder, const struct noted_node *note);

/** A map or list begins. 0 or -ENOMEM. */
int note_open(struct builder *builder, const struct noted_node *note);

/** The innermost collection ends at `end`, or NOTE_LAST_ENTRY. */
void note_close(struct builder *builder, size_t end);

/** Gives the extents to the document, which has its roots already. 0 or -ENOMEM. */
int notes_finish(struct notes *notes, struct document *document);
