/*
 * Line origins: for each line of a merged file, the place in a source that it comes from.
 *
 *      tree of the result ──write──▶ text ──read again──▶ a tree of the same shape
 *            │ places in the sources                             │ places in the text
 *            └──────────────── walked in step ───────────────────┘
 *
 * Text that is a source's own, byte for byte, needs no tree: its lines are counted. If the two
 * trees differ, the lines in question have no origin; nothing is guessed.
 */
#pragma once

#include "merge.h"

/* No map or list: the value is the root. */
#define LINE_VALUE_NONE UINT32_MAX

/* The part of a line that decides its origin. Of several, the last in this order counts. */
enum line_kind {
	LINE_MADE,   /* by the merge: a comment, a separator, a closing bracket */
	LINE_OPENS,  /* a bracket, or a tag, of a map or list in the lines below */
	LINE_KEY,    /* a key whose map or list stands in the lines below */
	LINE_VALUE,  /* a value, or a line of a source as it is */
	LINE_INSIDE, /* a further line of a value of many lines */
};

struct line {
	struct span text; /* without "\n" or "\r\n" */
	enum line_kind kind;
	const struct source *source; /* NULL: no source, or an unknown one */
	uint32_t source_line;        /* starting at 1 */
	uint32_t source_column;      /* in characters, starting at 1 */
	uint32_t key_column;         /* of its first pair, in its own text; 0: none */
	uint32_t value_column;       /* of that pair's value, if it begins in the line; else 0 */
	uint32_t first;              /* of the values that begin in it, in `values` */
	uint32_t count;
};

/* A value of the result, in the order of the text. */
struct line_value {
	const struct node *value; /* its origin: its place, and origin_of() */
	const struct node *key;   /* NULL: the root, or an item of a list */
	uint32_t index;           /* of an item, starting at 0 */
	uint32_t parent;          /* the map or list that it is in, in `values` */
	/* where its key, or it itself, begins in its line; in characters, from 1 */
	uint32_t column;
	bool is_in_line; /* all of it stands in the line it begins in, or it is a scalar */
};

struct line_origins {
	struct line *lines;
	size_t count;
	struct line_value *values; /* none where the text is a source's own */
	uint32_t value_count;
	struct arena *arena; /* that they lie in */
};

/**
 * Finds the origins of `result`, which must have been made with origins; it and the request must
 * outlive *ret. Returns 0 with *ret for line_origins_free(), or -ENOMEM.
 */
int line_origins_read(const struct merge_request *request, const struct merge_result *result,
	struct line_origins **ret);

/**
 * The same for a file that is `source` itself, with nothing merged.
 */
int line_origins_copy(struct span text, const struct source *source, struct line_origins **ret);

/** NULL is fine. */
void line_origins_free(struct line_origins *origins);
void line_origins_freep(struct line_origins **origins);

/** Where `value` of a result is from: itself, or of what a merge has made the last part; or NULL.
 */
const struct node *line_origin_place(const struct origins *origins, const struct node *value);
