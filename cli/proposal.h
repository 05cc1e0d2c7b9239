/*
 * The proposals at the end of `plyfs explain`: commands that change a value, or take a change back.
 * Before plyfs proposes a command, it tries the command without writing anything.
 *
 *      take it back: plyfs reset -L host -l vendor:host app.yaml server.port
 *      change it: plyfs set -l vendor:host app.yaml server.port VALUE
 */
#pragma once

#include <stdio.h>

#include "explained_file.h"
#include "explained_value.h"

struct proposal {
	const struct layer_choice *choice;
	const char *path;      /* as the user gave it */
	const char *asked;     /* the KEY (assignment.h), as the user gave it */
	const struct key *key; /* the same, parsed */
	const struct explained_file *subject;
	const struct explained *found; /* the value at the KEY */
	struct arena *arena;
};

/** Prints the proposals to standard output. Returns 0 or -ENOMEM. */
int proposal_print(const struct proposal *proposal);

/** Writes a blank and the word, quoted for a shell. */
void proposal_put_word(FILE *out, const char *word);
