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
	size_t context;   /* unchanged lines around a change */
	bool is_coloured; /* goes to a terminal that shows colour */
	bool is_shown;    /* goes to a terminal: bytes that could steer it are escaped */
};

/* What is compared: a text, and the label behind "--- " or "+++ ". */
struct unified_side {
	const char *label;
	struct span text;
};

/**
 * Prints how `old` becomes `new`; nothing where they are equal. Of texts that hold NUL bytes it is
 * only said that they differ. Returns 1 when they differ, 0, or -ENOMEM.
 */
int unified_print(
	const struct unified *how, const struct unified_side *old, const struct unified_side *new);
