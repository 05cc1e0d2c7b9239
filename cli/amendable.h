/*
 * The amendable: the one merged file that a command changes, and how: -L LAYER, -n, and what it is
 * found by.
 */
#pragma once

#include "subject.h"

struct amendable {
	struct choice choice;
	const char *layer; /* whose source is changed; NULL: the highest */
	bool is_dry;
	const char *path; /* as it was given */
	char *inner;      /* in the layers */
	struct subject subject;
};

/* The help of the options. */
#define AMENDABLE_HELP                                                                             \
	CHOICE_HELP                                                                                \
	"  -L, --layer NAME                change this layer's source; default: the highest\n"     \
	"  -n, --dry-run                   change nothing; print the difference it would make\n"   \
	"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n"

/**
 * Reads the options and the path; optind is behind it. Returns -1: go on, or an exit code. In both
 * cases amendable_fini() is called.
 */
int amendable_read(
	const struct command *command, int argc, char **argv, struct amendable *amendable);

/** Finds it. Returns EXIT_DONE, or another exit code when it has complained. */
int amendable_find(const struct command *command, struct amendable *amendable);

void amendable_fini(struct amendable *amendable);
