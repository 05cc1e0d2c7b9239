/* Input files of a command: FILE, or - for standard input. `plyfs merge` accepts NAME=FILE, too. */
#pragma once

#include "merge.h"

/* The name of standard input in messages. */
#define INPUT_STDIN "<stdin>"

/**
 * Reads the file; NULL: standard input. Returns 0 with *ret, NUL-terminated, for free(3); PROBLEM;
 * -EFBIG: it has more than `limit` bytes; or -ENOMEM.
 */
int input_read(const char *file, size_t limit, char **ret, size_t *len, struct problem *problem);

struct inputs {
	struct merge_input
		*data; /* lowest precedence first; texts and layer names from malloc(3) */
	size_t count;
	size_t capacity;
};

/**
 * Reads the file of `argument` ([NAME=]FILE), and adds it as the highest layer. Without NAME, the
 * layer has the file's name without the suffix. Borrows `argument`. Returns 0; PROBLEM, also if the
 * file has more than `limit` bytes; or -ENOMEM.
 */
int inputs_add(struct inputs *inputs, char *argument, size_t limit, struct problem *problem);

/** Returns FILE, a part of `argument` ([NAME=]FILE). */
const char *input_file(char *argument);

/** Returns the text of the input that messages call `name`; empty if there is none. */
struct span inputs_text(const struct inputs *inputs, const char *name);

void inputs_fini(struct inputs *inputs);
