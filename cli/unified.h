/* A unified diff, in the form of diff -u and git. */
#pragma once

#include <stdio.h>

#include "span.h"

/* The default number of unchanged lines around a change. */
#define UNIFIED_CONTEXT 3

struct unified {
	FILE *out;
	size_t context;   /* number of unchanged lines around a change */
	bool is_coloured; /* the text is coloured (colour.h) */
	bool is_shown;    /* for a terminal: control characters are escaped */
	size_t count;     /* number of differences that were printed */
};

/* One side of a comparison: a text, and the label after "--- " or "+++ ". */
struct unified_side {
	const char *label;
	struct span text;
};

/* The label of a side that does not exist. */
#define UNIFIED_ABSENT "/dev/null"

/* The description of a difference, for JSON. */
struct unified_item {
	const char *path;
	struct layer *const *layers; /* the layers that cause the difference */
	size_t layer_count;          /* 0: the difference has another cause */
	/* the difference's kind; NULL: none. With a kind, JSON has an item even for equal texts */
	const char *change;
};

/**
 * Prints and counts the difference from `old` to `new`, with --json as JSON. If a text has a NUL
 * byte, prints only that the texts differ. Without --json, `item` may be NULL. Returns 1: the texts
 * differ, or one side does not exist; 0: equal; or -ENOMEM.
 */
int unified_print(struct unified *how, const struct unified_item *item,
	const struct unified_side *old, const struct unified_side *new);

/** Makes the text of the difference. Returns as unified_print(), with *ret for free(3). */
int unified_text(
	const struct unified_side *old, const struct unified_side *new, size_t context, char **ret);

/**
 * With --json, ends the JSON. If the command `has_failed`, and no difference was printed, prints
 * nothing.
 */
void unified_end(const struct unified *how, bool has_failed);
