/*
 * A builder: makes a document's nodes in the order of its text, for the readers of formats.
 *
 * Finished nodes wait on a stack until the map or list around them is closed. Roots stay on the
 * stack.
 */
#pragma once

#include "document.h"
#include "note.h"

/* The place where a node begins */
struct place {
	uint32_t line;   /* starting at 1 */
	uint32_t column; /* in characters, starting at 1 */
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

	struct notes notes; /* the extents so far; empty unless they are wanted */

	/*
	 * Handles a key that comes again in `map`. `found` is the pair in the map, `again` the new
	 * pair. Sets the value of `found`, then updates the weight of `map` by node_reweigh().
	 * Returns 0, PROBLEM or -ENOMEM. If `repeat` is NULL, the later value counts, or, with
	 * options->keep_duplicates, both pairs stay.
	 */
	int (*repeat)(struct builder *builder, struct node *map, struct pair *found,
		const struct pair *again);
};

/* node->mark of a map or list that is not closed yet. An alias to such a node is refused. */
#define BUILDER_OPEN 1

void builder_fini(struct builder *builder);

/** Converts a place in the text to the place in the source that contains the text. */
static inline struct place builder_place(
	const struct builder *builder, uint32_t line, uint32_t column)
{
	const struct text_place *from = &builder->options->place;

	if (from->is_rewritten)
		return (struct place){from->lines, from->columns};
	return (struct place){from->lines + line, from->columns + column};
}

/* A position in a text. Each character is counted once, so that one huge line takes linear time. */
struct text_cursor {
	struct builder *builder;
	const char *p;
	const char *end;
	uint32_t line;          /* number of the line of p, starting at 1 */
	const char *counted;    /* a byte on that line, at or before p */
	uint32_t counted_place; /* column of `counted`, starting at 1 */
};

static inline struct text_cursor text_cursor_begin(struct builder *builder, struct span text)
{
	return (struct text_cursor){builder, text.data, span_end(text), 1, text.data, 1};
}

/** Skips a line end of `length` bytes at p. */
static inline void text_cursor_take_newline(struct text_cursor *at, size_t length)
{
	at->p += length;
	at->line++;
	at->counted = at->p;
	at->counted_place = 1;
}

struct place text_cursor_place(struct text_cursor *at);

/** Reports a problem at p. Returns PROBLEM. */
int text_cursor_fail(struct text_cursor *at, const char *message);

/** Fills builder->problem. Returns PROBLEM. */
__attribute__((format(printf, 3, 4))) int builder_problem(
	const struct builder *builder, struct place place, const char *format, ...);

/**
 * If document.doubt is NULL, stores the doubt that a merge with other files would lose something.
 * The message says why. Returns 0 or -ENOMEM.
 */
__attribute__((format(printf, 3, 4))) int builder_doubt(
	struct builder *builder, struct place place, const char *format, ...);

/** Makes a scalar. The caller must write its `len` bytes to *text. Returns NULL: no memory. */
struct node *builder_new_scalar(
	const struct builder *builder, struct place place, size_t len, char **text);

/** Adds a finished node, which may be shared. Returns 0, PROBLEM at a limit, or -ENOMEM. */
int builder_add(struct builder *builder, const struct node *node, struct place place);

/** Opens a map or list, whose tag the caller may set. Returns 0, PROBLEM at a limit, or -ENOMEM. */
int builder_open(struct builder *builder, enum node_kind kind, enum node_style style,
	struct place place, struct node **ret);

/** Closes the innermost open map or list. Returns 0, PROBLEM or -ENOMEM. */
int builder_close(struct builder *builder);

/*
 * The next four functions are for formats whose text returns to an earlier map, such as TOML. Their
 * readers don't use the stack, but fill maps and lists by node_append() and node_push().
 */

/** Counts one more node. Returns 0, or PROBLEM at a limit. */
int builder_count(struct builder *builder, struct place place);

/** Checks that a map or list may lie inside `depth` others. Returns 0, or PROBLEM at a limit. */
int builder_check_depth(const struct builder *builder, unsigned depth, struct place place);

/** Makes `node`, which the caller has put into the document's arena, an empty map or list. */
void builder_init(
	const struct builder *builder, struct node *node, enum node_kind kind, struct place place);

/** Adds a root whose nodes are counted already. Returns 0 or -ENOMEM. */
int builder_add_root(struct builder *builder, const struct node *root);

/**
 * For repeat(): adds the entries of again->value behind those of found->value. The values must be
 * two maps or two lists. Returns 0, PROBLEM or -ENOMEM.
 */
int builder_go_on(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/**
 * For repeat(): if found->value is a scalar, makes it a list of that scalar. Then appends `value`
 * to found->value; if `value` is a list, appends its items. Returns 0 or -ENOMEM.
 */
int builder_push(
	struct builder *builder, struct node *map, struct pair *found, const struct node *value);

/** Returns whether the value is a map, or a list that begins with a map. */
bool builder_is_sections(const struct node *value);

/** For repeat(): replaces found->value by again->value, and warns that the last value counts. */
void builder_override(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/** Returns whether the key is YAML's `<<`, or has the tag !!merge. */
bool builder_is_merge_key(const struct node *key);

/** Gives the roots and the noted extents to the document. Returns 0 or -ENOMEM. */
int builder_finish(struct builder *builder);
