/*
 * A unified diff, as diff -u and git print it.
 */
#pragma once

#include <stdio.h>

#include "span.h"

/* Lines around a change, as long as nobody asks for more or less. */
#define UNIFIED_CONTEXT 3

struct unified {
	FILE *out;
	size_t *json;     /* differences that were printed, as JSON; NULL: text is printed */
	size_t context;   /* unchanged lines around a change */
	bool is_coloured; /* goes to a terminal that shows colour */
	bool is_shown;    /* goes to a terminal: bytes that could steer it are escaped */
};

/* What is compared: a text, and the label behind "--- " or "+++ ". */
struct unified_side {
	const char *label;
	struct span text;
};

/* The label of what is not there. */
#define UNIFIED_ABSENT "/dev/null"

/* What JSON tells of a difference. */
struct unified_item {
	const char *path;
	struct layer *const *layers; /* that make it */
	size_t layer_count;          /* 0: it is not the layers' */
	const char *change; /* told also where the texts are equal; NULL: only differences are */
};

/**
 * Prints how `old` becomes `new`; nothing where they are equal and both there. Of texts that hold
 * NUL bytes it is only said that they differ. Returns 1 when they differ, 0, or -ENOMEM.
 */
int unified_print(const struct unified *how, const struct unified_item *item,
	const struct unified_side *old, const struct unified_side *new);

/** Ends JSON. `has_failed`: nothing is printed if nothing was before. */
void unified_end(const struct unified *how, bool has_failed);
