/*
 * Line origins: for each line of a merged file, the place in a source that it comes from.
 *
 *      tree of the result ──write──▶ text ──read again──▶ a tree of the same shape
 *            │ places in the sources                             │ places in the text
 *            └──────────────── walked in step ───────────────────┘
 *
 * Where the two trees differ, lines have no origin. If the text is made of copied parts of sources
 * (origin_pieces()), no trees are read: the lines of each part are counted.
 */
#pragma once

#include "merge.h"

/* line_value.parent of the root. */
#define LINE_VALUE_NONE UINT32_MAX

/* The kind of a line decides its origin. If several kinds fit, the last one in this list counts. */
enum line_kind {
	LINE_MADE,   /* the merge made the line: a comment, a separator, a closing bracket */
	LINE_OPENS,  /* the opening bracket or the tag of a map or list in the lines below */
	LINE_KEY,    /* a key whose map or list stands in the lines below */
	LINE_VALUE,  /* a value, or an unchanged line of a source */
	LINE_INSIDE, /* a further line of a value of many lines */
};

struct line {
	struct span text; /* without "\n" or "\r\n" */
	enum line_kind kind;
	const struct source *source; /* NULL: no source, or an unknown one */
	uint32_t source_line;        /* starting at 1 */
	uint32_t source_column;      /* in characters, starting at 1 */
	uint32_t key_column;         /* of the first key in `text`; 0: no key begins in the line */
	uint32_t value_column;       /* of that key's value; 0: the value begins in another line */
	uint32_t first;              /* index in `values` of the line's first value */
	uint32_t count; /* number of the line's values; a value belongs to the line of its key */
};

/* A value of the result, in the order of the text. */
struct line_value {
	const struct node *value; /* line_origin_place() says where it is from */
	const struct node *key;   /* NULL: the root, or an item of a list */
	uint32_t index;           /* of an item, starting at 0 */
	uint32_t parent;          /* index in `values` of the map or list that has this value */
	uint32_t column;          /* of the key, or of the value if `key` is NULL */
	bool is_in_line;          /* the value is a scalar, or an empty or flow-style map or list */
};

struct line_origins {
	struct line *lines;
	size_t count;
	struct line_value *values; /* none if no trees were read */
	uint32_t value_count;
	struct arena *arena; /* holds `lines` and `values` */
};

/**
 * Finds the origins of the lines of `result`, which must have been made with origins. `request` and
 * `result` must outlive *ret. Returns 0 with *ret for line_origins_freep(), or -ENOMEM.
 */
int line_origins_read(const struct merge_request *request, const struct merge_result *result,
	struct line_origins **ret);

/** As line_origins_read(), for `text`, an unchanged copy of `source`. Both must outlive *ret. */
int line_origins_copy(struct span text, const struct source *source, struct line_origins **ret);

void line_origins_freep(struct line_origins **place); /* NULL is fine */

/**
 * Returns the node whose place in a source counts as the place of `value`. Usually it is `value`.
 * If a merge has made `value` from several nodes, it is the one that the merge met last; nodes
 * without a place do not count. NULL: no node has a place.
 */
const struct node *line_origin_place(const struct origins *origins, const struct node *value);

/* The lines of a text, by their numbers. */
struct source_lines {
	struct span text;   /* set by the caller */
	struct span *lines; /* NULL: not split yet */
	size_t count;
};

/** Returns the number of lines. A last line without "\n" counts. */
size_t source_lines_count(struct span text);

/**
 * Gets the line `number`, starting at 1, without "\n" or "\r\n". The first call splits lines->text,
 * in `arena`. Returns 0; -ENOENT: there is no such line; or -ENOMEM.
 */
int source_lines_get(
	struct source_lines *lines, size_t number, struct arena *arena, struct span *ret);

/** Takes the first line from *rest, without "\n" or "\r\n". Returns false if *rest is empty. */
bool source_line_next(struct span *rest, struct span *ret);

/**
 * Returns the lines of `source`. NULL: the request has no such input, or the input has no text.
 * `texts`, all zero before the first call, has one item for each input, in the same order.
 */
struct source_lines *source_lines_of(struct source_lines *texts,
	const struct merge_request *request, const struct source *source);
