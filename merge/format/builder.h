/*
 * A builder: makes a document's nodes in the order of its text, for the readers of formats.
 *
 * Finished nodes wait on a stack until the map or list around them is closed. The nodes that wait
 * while no map or list is open are the roots.
 */
#pragma once

#include "document.h"
#include "note.h"

/* The place where a node begins. Both numbers start at 1. */
struct place {
	uint32_t line;
	uint32_t column; /* in characters */
};

/* A map or list that is not closed yet. */
struct open_node {
	struct node *node;
	size_t first; /* index of its first entry on the stack */
};

struct builder {
	struct document *document;
	const struct read_options *options; /* its limits are from limits_or_default() */
	struct problem *problem;
	const char *text; /* the source's first byte; extents are offsets from it */

	const struct node **waiting; /* the stack of finished nodes */
	size_t count;
	size_t capacity;

	struct open_node *open; /* the innermost last */
	unsigned depth;         /* number of open nodes */
	size_t open_capacity;

	uint64_t weight; /* of all nodes so far, as limits.nodes counts them */

	struct notes notes; /* the extents noted so far; empty unless they are wanted */

	/*
	 * Handles a key that comes again in `map`: `found` is the pair that the map has, and
	 * `again` the new pair. Sets found->value, and updates the weight of `map` by
	 * node_reweigh(). Returns 0, PROBLEM or -ENOMEM. If `repeat` is NULL, the later value
	 * counts; but with options->keep_duplicates both pairs stay.
	 */
	int (*repeat)(struct builder *builder, struct node *map, struct pair *found,
		const struct pair *again);
};

/* node->mark of a map or list that is not closed yet. An alias to such a node is refused. */
#define BUILDER_OPEN 1

void builder_fini(struct builder *builder);

/** Converts a line and a column of the text to a place in the source that contains the text. */
static inline struct place builder_place(
	const struct builder *builder, uint32_t line, uint32_t column)
{
	const struct text_place *from = &builder->options->place;

	if (from->is_rewritten)
		return (struct place){from->lines, from->columns};
	return (struct place){from->lines + line, from->columns + column};
}

/** Fills builder->problem, with the document's name. Returns PROBLEM. */
__attribute__((format(printf, 3, 4))) int builder_problem(
	const struct builder *builder, struct place place, const char *format, ...);

/**
 * Makes a scalar with room for `len` bytes of text and a NUL. The caller writes the text through
 * *text. Returns NULL when there is no memory.
 */
struct node *builder_new_scalar(
	const struct builder *builder, struct place place, size_t len, char **text);

/** Adds a finished node, which may be shared. Returns 0, PROBLEM at a limit, or -ENOMEM. */
int builder_add(struct builder *builder, const struct node *node, struct place place);

/**
 * Opens a map or list. The caller may set the tag of *ret. Returns 0, PROBLEM at a limit, or
 * -ENOMEM.
 */
int builder_open(struct builder *builder, enum node_kind kind, enum node_style style,
	struct place place, struct node **ret);

/**
 * Closes the innermost open map or list. Returns 0, PROBLEM (a wrong `<<`, or a key that `repeat`
 * refuses) or -ENOMEM.
 */
int builder_close(struct builder *builder);

/*
 * In some formats, such as TOML with its tables, the text returns to an earlier map. The reader of
 * such a format can't use the stack of open nodes. It calls the next four functions, and fills maps
 * and lists with node_append() and node_push().
 */

/** Counts one more node. Returns 0, or PROBLEM at a limit. */
int builder_count(struct builder *builder, struct place place);

/** Checks that a map or list may lie inside `depth` others. Returns 0, or PROBLEM at a limit. */
int builder_check_depth(const struct builder *builder, unsigned depth, struct place place);

/** Initializes `node`, which lies in the document's arena, as an empty map or list. */
void builder_init(
	const struct builder *builder, struct node *node, enum node_kind kind, struct place place);

/** Adds a root whose nodes are counted already. Returns 0 or -ENOMEM. */
int builder_add_root(struct builder *builder, const struct node *root);

/**
 * For repeat(): adds the entries of again->value behind those of found->value. Both values must be
 * maps, or both lists. Returns 0, PROBLEM or -ENOMEM.
 */
int builder_go_on(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/**
 * For repeat(): makes found->value a list, if it is not a list yet. Then appends `value` to the
 * list, or the items of `value` if that is a list, too. Returns 0 or -ENOMEM.
 */
int builder_push(
	struct builder *builder, struct node *map, struct pair *found, const struct node *value);

/** Returns whether the value is a section, or a list of sections with the same name. */
bool builder_is_sections(const struct node *value);

/** For repeat(): replaces found->value by again->value, and warns that only the last one counts. */
void builder_override(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/** Returns whether the key is YAML's `<<`, or has the tag !!merge. */
bool builder_is_merge_key(const struct node *key);

/** Gives the roots and the noted extents to the document. Returns 0 or -ENOMEM. */
int builder_finish(struct builder *builder);
