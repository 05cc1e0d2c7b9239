/*
 * Builds a document's nodes, in the order of its text, for the readers.
 *
 * Finished nodes wait on a stack until the collection that they are in is closed, and then move
 * into an array of the right size. What waits when no collection is open are the roots.
 */
#pragma once

#include "document.h"
#include "note.h"

/* Where a node begins; both start at 1. */
struct place {
	uint32_t line;
	uint32_t column; /* in characters */
};

/* A collection that is not closed yet. */
struct open_node {
	struct node *node;
	size_t first; /* its first entry on the stack */
};

struct builder {
	struct document *document;
	const struct read_options *options; /* its limits are set */
	struct problem *problem;
	const char *text; /* the source's first byte: extents count from it */

	const struct node **waiting;
	size_t count;
	size_t capacity;

	struct open_node *open;
	unsigned depth;
	size_t open_capacity;

	uint64_t weight; /* of all nodes so far, as limits.nodes counts them */

	struct notes notes; /* of extents; empty unless they are wanted */

	/*
	 * What a key that comes again in a map means, where it is not that the later one counts: sets
	 * found->value, and the map's weight with it. 0, PROBLEM or -ENOMEM. NULL: the later one counts.
	 */
	int (*repeat)(struct builder *builder, struct node *map, struct pair *found,
		const struct pair *again);
};

/* A node being built has this mark until it is closed: an alias must not lead to it. */
#define BUILDER_OPEN 1

void builder_fini(struct builder *builder);

/** The place of a line and a column of the text, in the source that the text was cut out of. */
static inline struct place builder_place(
	const struct builder *builder, uint32_t line, uint32_t column)
{
	const struct text_place *from = &builder->options->place;

	if (from->is_rewritten)
		return (struct place){from->lines, from->columns};
	return (struct place){from->lines + line, from->columns + column};
}

/** Fills the problem, with the document's name. Returns PROBLEM. */
__attribute__((format(printf, 3, 4))) int builder_problem(
	const struct builder *builder, struct place place, const char *format, ...);

/**
 * A scalar with room for `len` bytes of text and a NUL, which the caller fills in through
 * *text. NULL: no memory.
 */
struct node *builder_new_scalar(
	const struct builder *builder, struct place place, size_t len, char **text);

/** Adds a finished node, which may be shared. 0, PROBLEM (limit) or -ENOMEM. */
int builder_add(struct builder *builder, const struct node *node, struct place place);

/** Opens a map or sequence; *ret may be completed by tag. 0, PROBLEM (limit) or -ENOMEM. */
int builder_open(struct builder *builder, enum node_kind kind, enum node_style style,
	struct place place, struct node **ret);

/** Closes the last collection that is open. 0, PROBLEM (a bad `<<`, limit) or -ENOMEM. */
int builder_close(struct builder *builder);

/*
 * Where the text goes back to what was begun before, as a table of TOML may, its reader has no use
 * for the stack of what is open. It counts each node, fills maps and lists with node_append() and
 * node_push(), and adds the root when all of it is there.
 */

/** Counts one more node. 0 or PROBLEM (limit). */
int builder_count(struct builder *builder, struct place place);

/** Whether a map or list may lie in `depth` others. 0 or PROBLEM (limit). */
int builder_check_depth(const struct builder *builder, unsigned depth, struct place place);

/** Makes `node`, in the document's arena, an empty map or list. */
void builder_init(
	const struct builder *builder, struct node *node, enum node_kind kind, struct place place);

/** Adds a root of nodes that are counted already. 0 or -ENOMEM. */
int builder_add_root(struct builder *builder, const struct node *root);

/**
 * For repeat(): `again` is the same map or list going on, so its entries are put behind those of
 * `found`, which is of the same kind. 0, PROBLEM or -ENOMEM.
 */
int builder_go_on(struct builder *builder, struct node *map, struct pair *found,
	const struct pair *again);

/**
 * For repeat(): the key is a list, and `value`, or each item of it, stands behind those that it has. 0 or
 * -ENOMEM.
 */
int builder_push(struct builder *builder, struct node *map, struct pair *found,
	const struct node *value);

/** Whether the value is a section, or a list of sections of one name. */
bool builder_is_sections(const struct node *value);

/** For repeat(): the later one counts, and who checks is told of the other. */
void builder_override(struct builder *builder, struct node *map, struct pair *found,
	const struct pair *again);

/** Whether the key is YAML's `<<`, or tagged as such. */
bool builder_is_merge_key(const struct node *key);

/** Gives the roots to the document, and the extents that were noted. 0 or -ENOMEM. */
int builder_finish(struct builder *builder);
